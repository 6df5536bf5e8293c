;; Traps of its own: division by zero, out of bounds, unreachable.
(module (memory 1)
  (func (export "run") (param $n i32) (result i64)
    (if (i32.eq (local.get $n) (i32.const 3)) (then (unreachable)))
    (if (i32.eq (local.get $n) (i32.const 7)) (then (return (i64.load (i32.const -1)))))
    (i64.extend_i32_s (i32.div_s (i32.const 100) (local.get $n)))))
