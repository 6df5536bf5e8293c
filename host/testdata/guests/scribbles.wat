;; It writes all over a memory of 4 MiB, from a place that depends on the request: 100 words, 40 KiB apart and less.
(module
  (memory (export "memory") 64)
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
  (func (export "stratagem_invoke") (param $hooks i64) (param $n i32) (result i64) (local $at i32) (local $left i32)
    (if (i64.eq (local.get $hooks) (i64.const 0x100)) ;; Canonicalize behaves
      (then (return (i64.const 0x00002000_00000020))))
    (local.set $at (i32.and (i32.mul (local.get $n) (i32.const 0x9e3779b1)) (i32.const 0x3ffffc)))
    (local.set $left (i32.const 100))
    (loop $next
      (if (i32.ge_u (local.get $at) (i32.const 0x20000))
        (then (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (local.get $n)))))
      (local.set $at (i32.and (i32.add (local.get $at) (i32.mul (local.get $n) (i32.const 116))) (i32.const 0x3ffffc)))
      (br_if $next (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
    (if (i32.eqz (i32.rem_u (local.get $n) (i32.const 7))) (then (drop (memory.grow (i32.const 1)))))
    (i64.const 0x00003000_00000020)))
