// Command deployments is the plugin that serves Deployments, as kube-apiserver does without controllers.
//
// The nouns, one file each:
//
//   - Strategy (strategy.go): the life of a Deployment; defaults.go and validation.go are its parts.
//   - StatusStrategy (status.go): writes of the status.
//   - RollbackStrategy (rollback.go): the POST that asks for an older revision.
//   - columns (table.go): what kubectl get prints.
package main

import "github.com/stratagem-dev/stratagem/sdk"

func init() { sdk.Register(Plugin) }

func main() {}

// Plugin is what the server is told.
var Plugin = sdk.Plugin{
	Name:    "deployments",
	Version: "1.0.0",
	Resources: []sdk.Resource{{
		Group:      "apps",
		Resource:   "deployments",
		Kind:       "Deployment",
		ShortNames: []string{"deploy"},
		Categories: []string{"all"},
		Scope:      sdk.Namespaced,
		KeyRoot:    "/deployments",
		Versions:   []sdk.Version{{Name: "v1", Served: true, Storage: true, Columns: columns}},
		Strategy:   Strategy{},
		Subresources: []sdk.Subresource{
			{Name: "status", Strategy: StatusStrategy{}},
			{Name: "scale", Scale: &sdk.Scale{
				SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas", LabelSelectorPath: ".spec.selector",
			}},
			{Name: "rollback", Strategy: RollbackStrategy{}, Create: &sdk.PostedKind{
				Group: "apps", Version: "v1beta1", Kind: "DeploymentRollback",
			}},
		},
		ResetFields: []string{".status"},
	}},
}
