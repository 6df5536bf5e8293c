;; Initializes a table from a segment, for ever.
(module (table 4 funcref) (elem $e func 0 0 0 0)
  (func (export "run") (loop (table.init $e (i32.const 0) (i32.const 0) (i32.const 4)) (br 0))))
