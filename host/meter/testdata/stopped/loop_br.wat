;; Spins with a plain branch: the back edge pays.
(module (func (export "run") (loop (br 0))))
