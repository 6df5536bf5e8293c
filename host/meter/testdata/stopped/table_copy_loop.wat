;; Copies a table of 1 000 elements, for ever.
(module (table $a 1000 funcref) (table $b 1000 funcref)
  (func (export "run") (loop (table.copy $a $b (i32.const 0) (i32.const 0) (i32.const 1000)) (br 0))))
