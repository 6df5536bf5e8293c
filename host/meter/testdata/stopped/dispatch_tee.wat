;; The constant is changed on its way to the local.
(module (func (export "run")
  (local $pc i32)
  (loop $head
    (block $b1 (block $b0
      (local.get $pc)
      (br_table $b0 $b1))
      (i32.const 1) (i32.eqz) (local.set $pc) (br $head)))))
