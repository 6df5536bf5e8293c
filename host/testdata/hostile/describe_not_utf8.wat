;; A name in Latin-1.
;; want: load describe: the description is not UTF-8
(module
  (memory (export "memory") 4)
  (data (i32.const 0x400)
    "{\"name\":\"caf\e9\""
  )
  (func (export "stratagem_abi_version") (result i32) (i32.const 1))
  (func (export "stratagem_describe") (result i64)
    (i64.const 0x00000400_0000000e))
  (func (export "stratagem_reserve") (param $n i32) (result i32) (i32.const 0x10000))
  (func (export "stratagem_invoke") (param i64 i32) (result i64) unreachable))
