;; A description that ends the program.
;; want: load describe: the guest called proc_exit(0)
(module
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 4)
  (func (export "stratagem_abi_version") (result i32) (i32.const 1))
  (func (export "stratagem_describe") (result i64)
    (call $exit (i32.const 0)) (i64.const 0))
  (func (export "stratagem_reserve") (param $n i32) (result i32) (i32.const 0x10000))
  (func (export "stratagem_invoke") (param i64 i32) (result i64) unreachable))
