;; A reserve that keeps its pointer to itself.
;; want: load exports: function stratagem_reserve: it has the type (i32) -> (), not (i32) -> (i32)
(module
  (memory (export "memory") 4)
  (data (i32.const 0x400)
    "{\"name\":\"hostile\",\"version\":\"1\",\"resources\":[{\"group\":\"hostile.example\",\"resource\":\"widgets\",\"kind\":\"Widget\",\"scope\":\"Namespaced\",\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true}],\"hooks\":[]}]}"
  )
  (func (export "stratagem_abi_version") (result i32) (i32.const 1))
  (func (export "stratagem_describe") (result i64) (i64.const 0x00000400_000000c7))
  (func (export "stratagem_reserve") (param i32))
  (func (export "stratagem_invoke") (param i64 i32) (result i64) unreachable))
