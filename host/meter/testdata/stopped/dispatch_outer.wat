;; The table leaves the dispatch loop for a loop round it.
(module (func (export "run")
  (local $pc i32)
  (loop $outer
    (loop $head
      (block $b0
        (local.get $pc)
        (br_table $outer $b0))))))
