;; Forward jumps with operands on the stack, out of blocks with results and out of an inner loop.
(module (func (export "run") (param $n i32) (result i64)
  (local $pc i32) (local $sum i64)
  (i64.const 1000)
  (loop $head
    (block $b2 (block $b1 (block $b0
      (local.get $pc)
      (br_table $b0 $b1 $b2))
      (i64.const 3) (f64.const 4)
      (block (result i64)
        (i64.const 5)
        (if (i32.and (local.get $n) (i32.const 1)) (then
          (i32.const 8)
          (loop (local.set $pc (i32.const 2)) (br $head))
          (drop)))
      )
      (local.set $sum) (drop) (drop))
      (local.set $sum (i64.add (local.get $sum) (i64.extend_i32_u (local.get $n)))))
    (local.set $n (i32.shr_u (local.get $n) (i32.const 1)))
    (if (local.get $n) (then (local.set $pc (i32.const 0)) (br $head))))
  (i64.add (local.get $sum))))
