;; The read function with another signature.
;; want: load imports: it has the type (i32, i32) -> (i64), not (i32, i32) -> (i32)
(module
  (import "stratagem" "read" (func (param i32 i32) (result i64)))
  (memory (export "memory") 4)
  (func (export "stratagem_abi_version") (result i32) (i32.const 1))
  (func (export "stratagem_describe") (result i64) (i64.const 0x00000400_000000c7))
  (func (export "stratagem_reserve") (param $n i32) (result i32) (i32.const 0x10000))
  (func (export "stratagem_invoke") (param i64 i32) (result i64) unreachable))
