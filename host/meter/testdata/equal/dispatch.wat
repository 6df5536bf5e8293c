;; The shape of Go's code with jumps both ways, one of them out of an if and one past the end of the table.
(module (func (export "run") (param $n i32) (result i64)
  (local $pc i32) (local $i i32) (local $sum i64)
  (loop $head
    (block $b3 (block $b2 (block $b1 (block $b0
      (local.get $pc)
      (br_table $b0 $b1 $b2 $b3))
      (if (i32.eqz (local.get $n)) (then (local.set $pc (i32.const 3)) (br $head)))
      (local.set $i (i32.const 0)))
      ;; 1: the loop's test
      (if (i32.lt_u (local.get $i) (i32.and (local.get $n) (i32.const 1023)))
        (then (i64.const 9) (drop) (local.set $pc (i32.const 2)) (br $head)))
      (local.set $pc (i32.const 77)) (br $head))
      ;; 2: the loop's body
      (local.set $sum (i64.add (i64.mul (local.get $sum) (i64.const 31)) (i64.extend_i32_u (local.get $i))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (local.set $pc (i32.const 1)) (br $head)))
  (i64.add (local.get $sum) (i64.extend_i32_u (local.get $pc)))))
