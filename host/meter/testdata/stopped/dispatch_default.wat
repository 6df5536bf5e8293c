;; A constant beyond the table means the default label, which is the block behind.
(module (func (export "run")
  (local $pc i32)
  (loop $head
    (block $b1 (block $b0
      (local.get $pc)
      (br_table $b0 $b1 $b0))
      (local.set $pc (i32.const -1)) (br $head)))))
