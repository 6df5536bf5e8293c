;; A memory that begins above the limit of 1024 pages.
;; want: load wasm: its memory begins with 2000 pages, at most 1024 are allowed (limit memory)
(module
  (memory (export "memory") 2000)
  (func (export "stratagem_abi_version") (result i32) (i32.const 1))
  (func (export "stratagem_describe") (result i64) (i64.const 0x00000400_000000c7))
  (func (export "stratagem_reserve") (param $n i32) (result i32) (i32.const 0x10000))
  (func (export "stratagem_invoke") (param i64 i32) (result i64) unreachable))
