;; Half a million warnings of no length, which would be many megabytes when decoded.
;; want: call WarningsOnCreate ok: 0 errors, 64 warnings of 0 runes
(module
  (memory (export "memory") 4)
  (data (i32.const 0x2800)
    "\"\"," ;; the element
  )
  (data (i32.const 0x3000)
    "\05\00\00\00\08\00\00\00\00\00\00\00\04\00\00\00\00\00\00\00\00\00\00\00" ;; the frame up to the list
    "\03\00\10\00" ;; its length
  )
  (data (i32.const 0x400)
    "{\"name\":\"hostile\",\"version\":\"1\",\"resources\":[{\"group\":\"hostile.example\",\"resource\":\"widgets\",\"kind\":\"Widget\",\"scope\":\"Namespaced\",\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true}],\"hooks\":[\"Default\",\"PrepareForCreate\",\"Validate\",\"WarningsOnCreate\",\"PrepareForUpdate\",\"ValidateUpdate\",\"WarningsOnUpdate\",\"Canonicalize\",\"CheckGracefulDelete\",\"CreateSubresource\",\"ConvertToTable\",\"Convert\"]}]}"
  )
  (data (i32.const 0x2000)
    "\05\00\00\00" ;; segments
    "\08\00\00\00\00\00\00\00\08\00\00\00" ;; outcome and hook
    "\00\00\00\00" ;; object
    "\00\00\00\00" ;; errors
    "\00\00\00\00" ;; warnings
    "\00\00\00\00" ;; result
  )
  (func (export "stratagem_abi_version") (result i32) (i32.const 1))
  (func (export "stratagem_describe") (result i64) (i64.const 0x00000400_0000018c))
  (func (export "stratagem_reserve") (param $n i32) (result i32) (i32.const 0x10000))
  (func (export "stratagem_invoke") (param $hooks i64) (param $n i32) (result i64) (local $at i32)
    (if (i64.eq (local.get $hooks) (i64.const 0x100)) ;; Canonicalize behaves
      (then (return (i64.const 0x00002000_00000020))))
    (drop (memory.grow (i32.const 32)))
    (local.set $at (i32.const 0x301c))
    (i32.store8 (local.get $at) (i32.const 0x5b)) ;; [
    (local.set $at (i32.add (local.get $at) (i32.const 1)))
    (loop $next
      (memory.copy (local.get $at) (i32.const 0x2800) (i32.const 3)) ;; one element and a comma
      (local.set $at (i32.add (local.get $at) (i32.const 3)))
      (br_if $next (i32.lt_u (local.get $at) (i32.const 0x10301f))))
    (i32.store8 (i32.sub (local.get $at) (i32.const 1)) (i32.const 0x5d)) ;; ]
    (memory.fill (local.get $at) (i32.const 0) (i32.const 4)) ;; the segments after it
    (i64.const 0x00003000_00100023)))
