;; Calls an unmetered leaf for ever.
(module
  (func $leaf (param i32) (result i32)
    (i32.add (i32.mul (local.get 0) (local.get 0)) (i32.const 1)))
  (func (export "run") (local i32) (loop (local.set 0 (call $leaf (local.get 0))) (br 0))))
