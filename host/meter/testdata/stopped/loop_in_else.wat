;; The back edge stands in an else that is always taken.
(module (func (export "run") (loop (if (i32.const 0) (then) (else (br 1))))))
