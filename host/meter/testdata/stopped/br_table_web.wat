;; Four nested loops whose tables jump among each other by a counter.
(module (func (export "run")
  (local $n i32)
  (loop $a
    (loop $b
      (loop $c
        (local.set $n (i32.add (local.get $n) (i32.const 1)))
        (loop $d
          (br_table $d $c $b $a (i32.add (i32.const 1) (i32.rem_u (local.get $n) (i32.const 3))))))))))
