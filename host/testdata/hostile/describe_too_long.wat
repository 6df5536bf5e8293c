;; A length that nobody should allocate.
;; want: load describe: it has 4294967295 bytes, at most 4194304 are allowed
(module
  (memory (export "memory") 4)
  (func (export "stratagem_abi_version") (result i32) (i32.const 1))
  (func (export "stratagem_describe") (result i64)
    (i64.const 0x00000000_ffffffff))
  (func (export "stratagem_reserve") (param $n i32) (result i32) (i32.const 0x10000))
  (func (export "stratagem_invoke") (param i64 i32) (result i64) unreachable))
