// Package schema compiles an OpenAPI v3 schema, as kube-apiserver and CustomResourceDefinitions write it, into a form
// that checks, prunes and defaults objects as bytes, without decoding them into trees.
//
// Its nouns, one file each:
//
//   - Schema (schema.go): a compiled schema. Compile makes one: compile.go follows the references, keywords.go reads the
//     keywords, node_doc.go and rules_doc.go give them a meaning, finish.go computes what follows from the whole.
//   - node and use (node.go): a type, and one place where a type stands, with what is said only there.
//   - rules (rules.go): what is demanded of a value beyond its type.
//   - scanner (scan.go): steps over canonical JSON; frame (path.go): where it is.
//   - edits (edit.go): what changes between input and output.
//
// Its verbs: Decode (decode.go), Default (default.go), Validate (validate.go), PatchMeta (patch.go).
//
// All of them take JSON in the engine's canonical form (UTF-8, compact, keys sorted by their bytes, no duplicates).
// Bytes that are not JSON give a *SyntaxError, never a panic; JSON in another form gives an unspecified result.
package schema
