;; A conditional branch that carries two values round.
(module (func (export "run")
  (i32.const 5) (i64.const 6)
  (loop (param i32 i64) (result i32 i64)
    (br_if 0 (i32.const 1)))
  (drop) (drop)))
