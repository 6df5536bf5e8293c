;; Calls itself twice, to a depth that no stack stops: only fuel ends it.
(module
  (func $f (param i32)
    (if (i32.eqz (local.get 0)) (then (return)))
    (call $f (i32.sub (local.get 0) (i32.const 1)))
    (call $f (i32.sub (local.get 0) (i32.const 1))))
  (func (export "run") (call $f (i32.const 60))))
