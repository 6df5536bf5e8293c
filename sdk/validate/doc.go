// Package validate holds the checks that strategies share, under the names and with the texts that
// they have in Kubernetes.
//
// A check of a string returns what is wrong with it, a sentence each, for field.Invalid:
//
//	for _, msg := range validate.IsDNS1123Label(name) {
//		errs = append(errs, field.Invalid(path, name, msg))
//	}
package validate
