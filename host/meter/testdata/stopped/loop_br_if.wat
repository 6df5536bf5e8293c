;; Spins with a conditional branch: the head pays.
(module (func (export "run") (loop (br_if 0 (i32.const 1)))))
