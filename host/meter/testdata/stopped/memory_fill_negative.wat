;; A length that is negative when it is read with a sign must not give fuel back.
(module (memory (export "memory") 1)
  (func (export "run") (memory.fill (i32.const 0) (i32.const 1) (i32.const -1))))
