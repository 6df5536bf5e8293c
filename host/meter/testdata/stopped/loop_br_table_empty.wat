;; Spins through a table that has only a default label.
(module (func (export "run") (loop (br_table 0 (i32.const 0)))))
