;; A description that never comes.
;; want: load describe: it ran out of its budget
(module
  (memory (export "memory") 4)
  (func (export "stratagem_abi_version") (result i32) (i32.const 1))
  (func (export "stratagem_describe") (result i64)
    (loop (br 0)) (i64.const 0))
  (func (export "stratagem_reserve") (param $n i32) (result i32) (i32.const 0x10000))
  (func (export "stratagem_invoke") (param i64 i32) (result i64) unreachable))
