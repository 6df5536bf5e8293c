;; Fills a table of 1 000 elements, for ever.
(module (table 1000 externref)
  (func (export "run") (loop (table.fill 0 (i32.const 0) (ref.null extern) (i32.const 1000)) (br 0))))
