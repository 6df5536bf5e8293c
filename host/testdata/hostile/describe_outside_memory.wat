;; A pointer into nowhere.
;; want: load describe: it lies at 1048576 with 16 bytes, outside the memory
(module
  (memory (export "memory") 4)
  (func (export "stratagem_abi_version") (result i32) (i32.const 1))
  (func (export "stratagem_describe") (result i64)
    (i64.const 0x00100000_00000010))
  (func (export "stratagem_reserve") (param $n i32) (result i32) (i32.const 0x10000))
  (func (export "stratagem_invoke") (param i64 i32) (result i64) unreachable))
