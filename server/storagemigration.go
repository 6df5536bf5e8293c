package server

import (
	_ "embed"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers/migration"
)

//go:embed storagemigration.schema.json
var migrationSchema []byte

// migrationResource is storagemigration.k8s.io StorageVersionMigration, a resource with a native strategy.
func migrationResource() (*engine.Resource, error) {
	compiled, err := compileNative(migrationSchema, "StorageVersionMigration")
	if err != nil {
		return nil, err
	}
	columns := []engine.Column{
		{Name: "Name", Type: "string", Format: "name", JSONPath: ".metadata.name", Description: "Name must be unique within a namespace."},
		{Name: "Resource", Type: "string", Description: "The resource that is migrated."},
		{Name: "Status", Type: "string", Description: "Pending, Running, Succeeded or Failed."},
		{Name: "Rewritten", Type: "integer", JSONPath: ".status.progress.rewritten", Description: "How many objects have been rewritten."},
		{Name: "Objects", Type: "integer", JSONPath: ".status.progress.objects", Description: "How many objects there were when the migration began."},
		{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp", Description: "Time since the migration was asked for."},
	}
	return &engine.Resource{
		Group: migration.Group, Plural: migration.Plural, Singular: "storageversionmigration", Kind: "StorageVersionMigration",
		ListKind: "StorageVersionMigrationList", KeyRoot: "/" + migration.Plural, Revision: "native",
		Versions: []engine.Version{
			{Name: migration.Version, Served: true, Storage: true, Hooks: true, Schema: compiled, Columns: columns},
			{Name: "v1beta1", Served: true, Hooks: true, Schema: compiled, Columns: columns, Deprecated: true, DeprecationWarning: migrationBetaWarning},
		},
		Strategy:     engine.NewNative(migrationStrategy{}),
		Subresources: []engine.Subresource{{Name: "status", Strategy: engine.NewNative(migrationStatusStrategy{})}},
		ResetFields:  []string{".status"},
	}, nil
}

const migrationBetaWarning = "storagemigration.k8s.io/v1beta1 StorageVersionMigration is deprecated in v1.37+, unavailable in v1.40+; use storagemigration.k8s.io/v1 StorageVersionMigration"
