;; A list of a million resources, three bytes each, which would be gigabytes when decoded.
;; want: load describe: a list has more than 256 elements
(module
  (memory (export "memory") 60)
  (data (i32.const 0x400)
    "{\"resources\":[{}"
  )
  (func (export "stratagem_abi_version") (result i32) (i32.const 1))
  (func (export "stratagem_describe") (result i64) (local $at i32)
    (local.set $at (i32.const 0x410))
    (loop $next
      (i32.store (local.get $at) (i32.const 0x7d7b2c)) ;; ,{}
      (local.set $at (i32.add (local.get $at) (i32.const 3)))
      (br_if $next (i32.lt_u (local.get $at) (i32.const 3000000))))
    (i32.store16 (local.get $at) (i32.const 0x7d5d)) ;; ]}
    (i64.or (i64.const 0x00000400_00000000) (i64.extend_i32_u (i32.sub (local.get $at) (i32.const 0x3fe)))))
  (func (export "stratagem_reserve") (param $n i32) (result i32) (i32.const 0x10000))
  (func (export "stratagem_invoke") (param i64 i32) (result i64) unreachable))
