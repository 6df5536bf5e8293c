;; Naive Fibonacci and a leaf.
(module
  (func $add (param i64 i64) (result i64) (i64.add (local.get 0) (local.get 1)))
  (func $fib (param i32) (result i64)
    (if (result i64) (i32.lt_u (local.get 0) (i32.const 2))
      (then (i64.extend_i32_u (local.get 0)))
      (else (call $add
        (call $fib (i32.sub (local.get 0) (i32.const 1)))
        (call $fib (i32.sub (local.get 0) (i32.const 2)))))))
  (func (export "run") (param $n i32) (result i64)
    (call $fib (i32.and (local.get $n) (i32.const 15)))))
