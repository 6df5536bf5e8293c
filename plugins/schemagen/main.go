// Command schemagen writes the OpenAPI v3 components that a bundled plugin carries, from the Go
// types of k8s.io/api.
//
// Its nouns, one file each:
//
//   - Kinds (kinds.go): the kinds that can be asked for, and their Go types.
//   - Source (source.go): the comments and constants of a Go package, which reflection cannot see.
//   - comments (comments.go): what a comment says: description, markers, extensions.
//   - Generator (generator.go): Go types to schemas; fields.go, values.go, enums.go and unions.go are its parts.
//   - document (document.go): schemas to the bytes of the file.
package main

import (
	"flag"
	"fmt"
	"os"
)

//go:generate go run . -out ../core/schema.json v1/ConfigMap v1/ConfigMapList v1/Secret v1/SecretList v1/ServiceAccount v1/ServiceAccountList v1/Event v1/EventList events.k8s.io/v1/Event events.k8s.io/v1/EventList coordination.k8s.io/v1/Lease coordination.k8s.io/v1/LeaseList
//go:generate go run . -out ../pods/schema.json v1/Pod v1/PodList v1/Binding policy/v1/Eviction
//go:generate go run . -out ../deployments/schema.json apps/v1/Deployment apps/v1/DeploymentList autoscaling/v1/Scale apps/v1beta1/DeploymentRollback

func main() {
	out := flag.String("out", "", "the file to write; standard output when empty")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: schemagen [-out FILE] APIVERSION/KIND…   (v1/Pod, apps/v1/Deployment)")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "schemagen:", err)
		os.Exit(1)
	}
}

func run(out string, kinds []string) error {
	document, err := Generate(kinds)
	if err != nil {
		return err
	}
	if out == "" {
		_, err = os.Stdout.Write(document)
		return err
	}
	return os.WriteFile(out, document, 0o644)
}
