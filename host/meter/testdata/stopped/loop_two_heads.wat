;; Two loops one after the other, reached again and again through the outer one.
(module (func (export "run")
  (local i32)
  (loop $outer
    (loop $a (br_if $a (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 3))))
    (local.set 0 (i32.const 0))
    (loop $b (br_if $outer (i32.const 1))))))
