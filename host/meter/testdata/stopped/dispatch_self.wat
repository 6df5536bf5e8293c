;; The table itself has the loop among its labels: the dispatch spins without any branch in the body.
(module (func (export "run")
  (local $pc i32)
  (loop $head
    (block $b0
      (local.get $pc)
      (br_table $head $b0)))))
