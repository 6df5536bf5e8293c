;; Its memory has a maximum. It traps unless that is what it can grow to, while it gives way to the host and after.
(module
  (memory (export "memory") 4 6)
  (data (i32.const 0x3000)
    "\05\00\00\00" ;; segments
    "\08\00\00\00\00\00\00\00\04\00\00\00" ;; outcome and hook
    "\00\00\00\00" ;; object
    "\00\00\00\00" ;; errors
    "\00\00\00\00" ;; warnings
    "\00\00\00\00" ;; result
  )
  (data (i32.const 0x400)
    "{\"name\":\"hostile\",\"version\":\"1\",\"resources\":[{\"group\":\"hostile.example\",\"resource\":\"widgets\",\"kind\":\"Widget\",\"scope\":\"Namespaced\",\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true}],\"hooks\":[\"WarningsOnCreate\",\"Canonicalize\"]}]}"
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
  (func (export "stratagem_describe") (result i64) (i64.const 0x00000400_000000e8))
  (func (export "stratagem_reserve") (param $n i32) (result i32) (i32.const 0x10000))
  (func $spin (local $left i32) ;; some slices of fuel
    (local.set $left (i32.const 400000))
    (loop $next (br_if $next (local.tee $left (i32.sub (local.get $left) (i32.const 1))))))
  (func $want (param $got i32) (param $wanted i32)
    (if (i32.ne (local.get $got) (local.get $wanted)) (then (unreachable))))
  (func (export "stratagem_invoke") (param $hooks i64) (param $n i32) (result i64)
    (if (i64.eq (local.get $hooks) (i64.const 0x100)) ;; Canonicalize behaves
      (then (return (i64.const 0x00002000_00000020))))
    (call $spin)
    (call $want (memory.size) (i32.const 4))
    (call $want (memory.grow (i32.const 3)) (i32.const -1))
    (call $want (memory.grow (i32.const 2)) (i32.const 4))
    (call $spin)
    (call $want (memory.size) (i32.const 6))
    (call $want (memory.grow (i32.const 1)) (i32.const -1))
    (i64.const 0x00003000_00000020)))
