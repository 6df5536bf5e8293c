// Command core is the plugin that serves what every controller leans on: ConfigMaps, Secrets, ServiceAccounts, Events and
// Leases, as kube-apiserver does without controllers.
//
// The nouns, one file each:
//
//   - ConfigMap (configmap.go), Secret (secret.go; secrettypes.go says what each type has to hold), ServiceAccount
//     (serviceaccount.go), Lease (lease.go): the strategies.
//   - bytes (bytes.go): maps of base64, which ConfigMaps and Secrets have.
//   - Event (event.go): the strategy of the events of both groups. eventviews.go is how each shows them, eventvalidation.go what
//     they must be, eventtable.go what kubectl get prints.
//
// RATIONALE.md says why they are one module.
package main

import "github.com/stratagem-dev/stratagem/sdk"

func init() { sdk.Register(Plugin) }

func main() {}

// Plugin is what the server is told.
var Plugin = sdk.Plugin{
	Name:    "core",
	Version: "1.0.0",
	Resources: []sdk.Resource{
		{
			Resource: "configmaps", Kind: "ConfigMap", ShortNames: []string{"cm"}, KeyRoot: "/configmaps", Strategy: ConfigMap{},
			Versions: []sdk.Version{{Name: "v1", Columns: configMapColumns}},
		},
		{
			Resource: "secrets", Kind: "Secret", KeyRoot: "/secrets", Strategy: Secret{},
			Versions:         []sdk.Version{{Name: "v1", Columns: secretColumns}},
			SelectableFields: []string{".type"},
		},
		{
			Resource: "serviceaccounts", Kind: "ServiceAccount", ShortNames: []string{"sa"}, KeyRoot: "/serviceaccounts", Strategy: ServiceAccount{},
			Versions: []sdk.Version{{Name: "v1", Columns: serviceAccountColumns}},
			Subresources: []sdk.Subresource{{
				Name: "token", Unavailable: "this server issues no tokens: use a certificate, or a credential of the service that the token would be for",
			}},
		},
		{
			Resource: "events", Kind: "Event", ShortNames: []string{"ev"}, KeyRoot: "/events", Strategy: Event{},
			Versions:         []sdk.Version{{Name: "v1", Columns: eventColumns}},
			SelectableFields: append(reference(".involvedObject"), ".reason", ".reportingComponent", ".type"),
			FieldLabels:      []sdk.FieldLabel{{Label: "source", Paths: []string{".source.component", ".reportingComponent"}}},
		},
		{
			Group: "events.k8s.io", Resource: "events", Kind: "Event", ShortNames: []string{"ev"}, StoredAs: "v1", Strategy: Event{},
			Versions:         []sdk.Version{{Name: "v1", Columns: eventColumns}},
			SelectableFields: append(reference(".regarding"), ".reason", ".reportingController", ".type"),
			FieldLabels:      []sdk.FieldLabel{{Label: "source", Paths: []string{".deprecatedSource.component", ".reportingController"}}},
		},
		{
			Group: "coordination.k8s.io", Resource: "leases", Kind: "Lease", KeyRoot: "/leases", Strategy: Lease{},
			Versions: []sdk.Version{{Name: "v1", Columns: leaseColumns}},
		},
	},
}

// reference is the fields of an ObjectReference.
func reference(at string) (paths []string) {
	for _, name := range []string{".kind", ".namespace", ".name", ".uid", ".apiVersion", ".resourceVersion", ".fieldPath"} {
		paths = append(paths, at+name)
	}
	return paths
}

// The columns that all tables have.
var (
	nameColumn = sdk.Column{Name: "Name", Type: "string", Format: "name", JSONPath: ".metadata.name", Description: "Name must be unique within a namespace."}
	ageColumn  = sdk.Column{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp", Description: "The time at which the object was created."}
)
