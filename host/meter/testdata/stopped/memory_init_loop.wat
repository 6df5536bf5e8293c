;; Initializes 64 bytes from a passive segment, for ever.
(module (memory (export "memory") 1)
  (data $d "0123456789012345678901234567890123456789012345678901234567890123")
  (func (export "run") (loop (memory.init $d (i32.const 0) (i32.const 0) (i32.const 64)) (br 0))))
