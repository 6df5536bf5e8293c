;; A loop with parameters, and operands of an outer block below them.
(module (func (export "run")
  (i64.const 1)
  (i32.const 5) (i64.const 6)
  (loop (param i32 i64)
    (br 0))
  (drop)))
