;; Steps of the Collatz sequence: a loop with a conditional branch.
(module (func (export "run") (param $n i32) (result i64)
  (local $steps i64)
  (block $done
    (loop $next
      (br_if $done (i32.le_u (local.get $n) (i32.const 1)))
      (local.set $steps (i64.add (local.get $steps) (i64.const 1)))
      (if (i32.and (local.get $n) (i32.const 1))
        (then (local.set $n (i32.add (i32.mul (local.get $n) (i32.const 3)) (i32.const 1))))
        (else (local.set $n (i32.shr_u (local.get $n) (i32.const 1)))))
      (br $next)))
  (local.get $steps)))
