;; It keeps a function in a table, which no snapshot holds: the instance has to be replaced.
(module
  (memory (export "memory") 4)
  (table 1 funcref)
  (func $f)
  (elem declare func $f)
  (data (i32.const 0x3000)
    "\05\00\00\00" ;; segments
    "\08\00\00\00\00\00\00\00\04\00\00\00" ;; outcome and hook
    "\00\00\00\00" ;; object
    "\00\00\00\00" ;; errors
    "\07\00\00\00[\"---\"]" ;; warnings
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
  (func (export "stratagem_invoke") (param $hooks i64) (param $n i32) (result i64)
    (if (i64.eq (local.get $hooks) (i64.const 0x100)) ;; Canonicalize behaves
      (then (return (i64.const 0x00002000_00000020))))
    (if (i32.eqz (ref.is_null (table.get 0 (i32.const 0))))
      (then (i32.store8 (i32.const 0x301e) (i32.const 0x79)))) ;; y
    (table.set 0 (i32.const 0) (ref.func $f))
    (i64.const 0x00003000_00000027)))
