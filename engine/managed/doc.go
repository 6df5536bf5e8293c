// Package managed keeps metadata.managedFields, the record of which client owns which field, and merges server-side apply by it.
//
// Its nouns, one file each:
//
//   - Write (write.go): a change of one object by one manager. Update (update.go) records it; Apply (apply.go) makes it as well.
//   - Types (types.go): which fields, list elements and map keys of an object are owned one by one, and which only as a
//     whole; compiled from the OpenAPI schema (model.go).
//   - tree (tree.go): a set of fields, read from FieldsV1 (decode.go) and written back (encode.go).
//   - walk (walk.go, list.go): the comparison of two objects that says what was added, modified and removed.
//   - entry (entry.go): one manager's share.
//
// Update works on canonical bytes from end to end. Apply decodes trees and leaves the work to Kubernetes' own packages.
package managed
