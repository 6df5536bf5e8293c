;; Two functions that call each other.
(module
  (func $f (param i32)
    (if (i32.eqz (local.get 0)) (then (return)))
    (call $g (local.get 0)) (call $g (local.get 0)))
  (func $g (param i32) (call $f (i32.sub (local.get 0) (i32.const 1))))
  (func (export "run") (call $f (i32.const 60))))
