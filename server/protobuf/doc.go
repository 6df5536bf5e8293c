// Package protobuf turns Kubernetes' protobuf encoding of built-in kinds into JSON, at the edges
// where others bring it in: bodies of stock typed clients and of kubectl create, and values that a
// kube-apiserver wrote into etcd.
//
// Its nouns, one file each:
//
//   - Decode (decode.go): the transcoder; the rest serves it.
//   - kinds (kinds.go): the Go types behind group, version and kind.
//   - budget (budget.go): how much memory a message may take, known before it is decoded.
//   - errors (errors.go): what can be wrong with the input.
//
// Nothing is encoded here: answers are JSON, which every client of this encoding accepts too.
package protobuf
