;; Its author asks that it be reset after three calls only. For the rest it is remembers:
;; It keeps what it sees of requests of more than 3000 bytes where it can: the frame in its memory, the frame in memory
;; that it has asked for, and the length in a global. Its warning says where it found something of an earlier call: m, g,
;; and n; a dash for nothing.
(module
  (memory (export "memory") 4)
  (global $last (mut i32) (i32.const 0))
  (data (i32.const 0x3000)
    "\05\00\00\00" ;; segments
    "\08\00\00\00\00\00\00\00\04\00\00\00" ;; outcome and hook
    "\00\00\00\00" ;; object
    "\00\00\00\00" ;; errors
    "\07\00\00\00[\"---\"]" ;; warnings
    "\00\00\00\00" ;; result
  )
  (data (i32.const 0x400)
    "{\"name\":\"hostile\",\"version\":\"1\",\"resources\":[{\"group\":\"hostile.example\",\"resource\":\"widgets\",\"kind\":\"Widget\",\"scope\":\"Namespaced\",\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true}],\"hooks\":[\"WarningsOnCreate\"]}],\"reset\":{\"every\":3}}"
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
  (func (export "stratagem_describe") (result i64) (i64.const 0x00000400_000000ed))
  (func (export "stratagem_reserve") (param $n i32) (result i32) (i32.const 0x10000))
  (func (export "stratagem_invoke") (param $hooks i64) (param $n i32) (result i64)
    (if (i64.eq (local.get $hooks) (i64.const 0x100)) ;; Canonicalize behaves
      (then (return (i64.const 0x00002000_00000020))))
    (if (i32.load8_u (i32.const 0x30000))
      (then (i32.store8 (i32.const 0x301e) (i32.const 0x6d))))
    (if (i32.lt_u (local.get $n) (i32.const 3000)) (then (return (i64.const 0x00003000_00000027))))
    (memory.copy (i32.const 0x30000) (i32.const 0x10000) (local.get $n))
    (if (i32.gt_u (memory.size) (i32.const 4))
      (then
        (if (i32.load8_u (i32.const 0x40000))
          (then (i32.store8 (i32.const 0x301f) (i32.const 0x67)))))
      (else (drop (memory.grow (i32.const 1)))))
    (memory.copy (i32.const 0x40000) (i32.const 0x10000) (local.get $n))
    (if (global.get $last)
      (then (i32.store8 (i32.const 0x3020) (i32.const 0x6e))))
    (global.set $last (local.get $n))
    (i64.const 0x00003000_00000027)))
