;; Fills 12 MiB by one instruction.
(module (memory (export "memory") 200)
  (func (export "run") (memory.fill (i32.const 0) (i32.const 1) (i32.const 12582912))))
