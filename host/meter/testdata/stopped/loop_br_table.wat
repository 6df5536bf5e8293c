;; Spins through a table whose every label is the loop.
(module (func (export "run") (loop (br_table 0 0 0 (i32.const 7)))))
