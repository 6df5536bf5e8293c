;; The shape of Go's code: block 1 jumps to block 0, which falls into block 1.
(module (func (export "run")
  (local $pc i32)
  (loop $head
    (block $b1 (block $b0
      (local.get $pc)
      (br_table $b0 $b1))
      (nop))
    (local.set $pc (i32.const 0))
    (br $head))))
