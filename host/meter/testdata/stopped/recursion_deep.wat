;; Recursion without an end: fuel stops it before the engine's stack does.
(module (func $f (export "run") (call $f)))
