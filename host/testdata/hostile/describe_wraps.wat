;; Pointer and length that add up to a small number in 32 bits.
;; want: load describe: it lies at 4294967280 with 32 bytes, outside the memory
(module
  (memory (export "memory") 4)
  (func (export "stratagem_abi_version") (result i32) (i32.const 1))
  (func (export "stratagem_describe") (result i64)
    (i64.const 0xfffffff0_00000020))
  (func (export "stratagem_reserve") (param $n i32) (result i32) (i32.const 0x10000))
  (func (export "stratagem_invoke") (param i64 i32) (result i64) unreachable))
