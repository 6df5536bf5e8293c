;; Asks for memory for ever, long after it gets none.
(module (memory (export "memory") 1 2)
  (func (export "run") (loop (drop (memory.grow (i32.const 1))) (br 0))))
