;; Asks for four thousand million elements in a table that declares no maximum.
(module (table (export "table") 1 funcref)
  (func (export "run") (drop (table.grow 0 (ref.null func) (i32.const -2)))))
