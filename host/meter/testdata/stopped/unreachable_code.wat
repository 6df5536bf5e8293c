;; Every kind of point in code that cannot be reached, where operands have any type, then a loop that spins.
(module (memory 1) (table 1 funcref)
  (func (export "run")
    (local $pc i32)
    (block
      (br 0)
      (loop (br_if 0 (i32.const 0)) (br 0))
      (memory.fill) (memory.copy) (memory.grow) (drop)
      (table.fill 0)
      (loop $head
        (block $b1 (block $b0
          (local.get $pc) (br_table $b0 $b1))
          (local.set $pc (i32.const 1)) (br $head))
        (local.set $pc (i32.const 0)) (br $head)))
    (loop (br 0))))
