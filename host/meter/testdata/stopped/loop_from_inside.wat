;; The branch to the outer loop stands in an inner loop that never repeats.
(module (func (export "run") (loop $outer (loop (br $outer)))))
