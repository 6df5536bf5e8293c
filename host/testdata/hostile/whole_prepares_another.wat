;; What it prepared is not the object.
;; want: whole PrepareForCreate+Validate+Canonicalize malformed reply: the prepared object: it changes apiVersion
(module
  (memory (export "memory") 4)
  (data (i32.const 0x4000)
    "\06\00\00\00" ;; segments
    "\08\00\00\00\00\00\00\00\08\00\00\00"
    "\00\00\00\00"
    "\00\00\00\00"
    "\00\00\00\00"
    "\00\00\00\00"
    "\02\00\00\00{}" ;; the object before Canonicalize
  )
  (data (i32.const 0x3000)
    "\04\00\00\00" ;; segments
    "\08\00\00\00\00\00\00\00\02\00\00\00"
    "\00\00\00\00"
    "\00\00\00\00"
    "\00\00\00\00"
  )
  (data (i32.const 0x400)
    "{\"name\":\"hostile\",\"version\":\"1\",\"resources\":[{\"group\":\"hostile.example\",\"resource\":\"widgets\",\"kind\":\"Widget\",\"scope\":\"Namespaced\",\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true}],\"hooks\":[\"Default\",\"PrepareForCreate\",\"Validate\",\"WarningsOnCreate\",\"PrepareForUpdate\",\"ValidateUpdate\",\"WarningsOnUpdate\",\"Canonicalize\",\"CheckGracefulDelete\",\"CreateSubresource\",\"ConvertToTable\",\"Convert\"]}]}"
  )
  (data (i32.const 0x2000)
    "\05\00\00\00" ;; segments
    "\08\00\00\00\00\00\00\00\08\00\00\00" ;; outcome and hook
    "\00\00\00\00" ;; object
    "\00\00\00\00" ;; errors
    "\00\00\00\00" ;; warnings
    "\00\00\00\00" ;; result
  )
  (func (export "stratagem_abi_version") (result i32) (i32.const 1))
  (func (export "stratagem_describe") (result i64) (i64.const 0x00000400_0000018c))
  (func (export "stratagem_reserve") (param $n i32) (result i32) (i32.const 0x10000))
  (func (export "stratagem_invoke") (param $hooks i64) (param $n i32) (result i64)
    (if (i64.eq (local.get $hooks) (i64.const 0x100)) ;; Canonicalize behaves
      (then (return (i64.const 0x00002000_00000020))))
    (i64.const 0x00003000_0000001c))
  (func (export "stratagem_invoke_whole") (param $hooks i64) (param $n i32) (result i64) (i64.const 0x00004000_00000026)))
