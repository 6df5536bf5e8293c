;; Two resources that share their objects, and no way from the form of one to that of the other.
;; want: load describe: hook Convert is required
(module
  (memory (export "memory") 4)
  (data (i32.const 0x400)
    "{\"name\":\"hostile\",\"version\":\"1\",\"resources\":[{\"group\":\"hostile.example\",\"resource\":\"widgets\",\"kind\":\"Widget\",\"scope\":\"Namespaced\",\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true}],\"hooks\":[]},{\"group\":\"other.example\",\"resource\":\"widgets\",\"kind\":\"Widget\",\"scope\":\"Namespaced\",\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true}],\"hooks\":[],\"storedAs\":\"hostile.example/v1\"}]}"
  )
  (func (export "stratagem_abi_version") (result i32) (i32.const 1))
  (func (export "stratagem_describe") (result i64) (i64.const 0x00000400_0000017e))
  (func (export "stratagem_reserve") (param $n i32) (result i32) (i32.const 0x10000))
  (func (export "stratagem_invoke") (param i64 i32) (result i64) unreachable))
