;; The jump sets another local than the one the dispatch reads: its target is not the constant's.
(module (func (export "run")
  (local $pc i32) (local $other i32)
  (loop $head
    (block $b1 (block $b0
      (local.get $pc)
      (br_table $b0 $b1))
      (local.set $other (i32.const 1)) (br $head)))))
