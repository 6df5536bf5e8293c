;; Where to go next is copied from another local, behind a loop and a block that look like a dispatch.
(module (func (export "run") (param $n i32) (result i64)
  (local $pc i32) (local $next i32) (local $sum i64)
  (local.set $pc (i32.const 1))
  (loop $head
    (block $b2 (block $b1 (block $b0
      (local.get $pc)
      (br_table $b2 $b0 $b1))
      (local.set $next (i32.mul (i32.const 2) (i32.and (local.get $n) (i32.const 1))))
      (loop (block
        (local.get $next) (local.set $pc) (br $head))))
      (local.set $sum (i64.add (local.get $sum) (i64.extend_i32_u (local.get $n)))))
    (local.set $n (i32.shr_u (local.get $n) (i32.const 1)))
    (if (local.get $n) (then (local.set $pc (i32.const 1)) (br $head))))
  (local.get $sum)))
