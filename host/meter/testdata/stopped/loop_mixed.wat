;; A plain and a conditional branch to one loop; the conditional one is never taken.
(module (func (export "run") (loop (br_if 0 (i32.const 0)) (br 0))))
