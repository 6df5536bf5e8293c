;; Calls itself through a table.
(module
  (type $t (func (param i32)))
  (table 1 funcref) (elem (i32.const 0) $f)
  (func $f (param i32)
    (if (i32.eqz (local.get 0)) (then (return)))
    (call_indirect (type $t) (i32.sub (local.get 0) (i32.const 1)) (i32.const 0))
    (call_indirect (type $t) (i32.sub (local.get 0) (i32.const 1)) (i32.const 0)))
  (func (export "run") (call $f (i32.const 60))))
