;; Each reply is a mebibyte longer than the last.
;; want: repeat PrepareForCreate malformed reply: bytes, at most 16777216 are allowed
(module
  (memory (export "memory") 4)
  (global $calls (mut i32) (i32.const 0))
  (data (i32.const 0x2100)
    "\05\00\00\00" ;; segments
    "\08\00\00\00\00\00\00\00\02\00\00\00" ;; outcome and hook
    "\00\00\00\00" ;; object
    "\00\00\00\00" ;; errors
    "\00\00\00\00" ;; warnings
    "\00\00\00\00" ;; result
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
  (func (export "stratagem_invoke") (param $hooks i64) (param $n i32) (result i64)
    (if (i64.eq (local.get $hooks) (i64.const 0x100)) ;; Canonicalize behaves
      (then (return (i64.const 0x00002000_00000020))))
    (global.set $calls (i32.add (global.get $calls) (i32.const 0x100000)))
    (drop (memory.grow (i32.const 16)))
    (i32.store (i32.const 0x3024) (i32.sub (global.get $calls) (i32.const 0x28))) ;; the length of the last segment
    (if (i32.gt_u (global.get $calls) (i32.const 0x1000000))
      (then (return (i64.or (i64.const 0x00003000_00000000) (i64.extend_i32_u (global.get $calls))))))
    (i64.const 0x00002100_00000020)))
