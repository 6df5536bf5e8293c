;; A dispatch loop that is also reached by a conditional branch.
(module (func (export "run")
  (local $pc i32)
  (loop $head
    (block $b1 (block $b0
      (local.get $pc)
      (br_table $b0 $b1))
      (local.set $pc (i32.const 1)) (br_if $head (i32.const 1)))
    (local.set $pc (i32.const 0)) (br $head))))
