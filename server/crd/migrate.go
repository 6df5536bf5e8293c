package crd

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratagem-dev/stratagem/engine"
)

const storageMigrating = apiextensions.CustomResourceDefinitionConditionType(apiv1.StorageMigrating)

// Revision names a generation of a definition: the Revision of the resource that it defines begins with it.
func Revision(name string, generation int64) string {
	return fmt.Sprintf("%s %s@%d", kindName, name, generation)
}

// Migrating is a definition whose objects are being rewritten in the storage version by a migration.
func Migrating(obj engine.Object, migration string) (engine.Object, error) {
	return edit(obj, func(in *apiextensions.CustomResourceDefinition) {
		setMigrating(in, apiextensions.ConditionTrue, "MigrationRunning", fmt.Sprintf("Migration %s is running", migration))
	})
}

// Migrated is a definition after a migration: all objects are stored in the storage version, or the migration has failed.
func Migrated(obj engine.Object, failed bool) (engine.Object, error) {
	return edit(obj, func(in *apiextensions.CustomResourceDefinition) {
		if failed {
			setMigrating(in, apiextensions.ConditionFalse, "MigrationFailed", "The migration has failed")
			return
		}
		setMigrating(in, apiextensions.ConditionFalse, "MigrationSucceeded", "The migration has succeeded and the stored versions have been updated")
		in.Status.StoredVersions = nil
		noteStored(in)
	})
}

func setMigrating(in *apiextensions.CustomResourceDefinition, status apiextensions.ConditionStatus, reason, message string) {
	condition := apiextensions.CustomResourceDefinitionCondition{Type: storageMigrating, Status: status, Reason: reason, Message: message}
	if is := apiextensions.FindCRDCondition(in, storageMigrating); is == nil || !apiextensions.IsCRDConditionEquivalent(&condition, is) {
		apiextensions.SetCRDCondition(in, condition)
	}
	apiextensions.FindCRDCondition(in, storageMigrating).ObservedGeneration = in.Generation
}
