;; A forward jump over a block and a backward jump to before it, for ever.
(module (func (export "run")
  (local $pc i32)
  (loop $head
    (block $b2 (block $b1 (block $b0
      (local.get $pc)
      (br_table $b0 $b1 $b2))
      (local.set $pc (i32.const 2)) (br $head))
      (unreachable))
    (local.set $pc (i32.const 0)) (br $head))))
