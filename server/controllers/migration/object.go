package migration

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers"
)

// Group, Version and Plural name the resource of migrations.
const (
	Group   = "storagemigration.k8s.io"
	Version = "v1"
	Plural  = "storageversionmigrations"
)

var migrations = schema.GroupResource{Group: Group, Resource: Plural}

// The conditions of a migration, and the reasons that Kubernetes gives for them.
const (
	Running   = "Running"
	Succeeded = "Succeeded"
	Failed    = "Failed"

	runningReason   = "MigrationRunning"
	succeededReason = "StorageVersionMigrationSucceeded"
	failedReason    = "StorageVersionMigrationFailed"
)

// ResourceOf is the resource that a StorageVersionMigration is about.
func ResourceOf(obj engine.Object) schema.GroupResource {
	r := obj.Get("spec", "resource")
	return schema.GroupResource{Group: r.Get("group").String(), Resource: r.Get("resource").String()}
}

// Phase is the condition that holds of a StorageVersionMigration, or Pending.
func Phase(obj engine.Object) string {
	s := statusOf(obj)
	for _, phase := range []string{Succeeded, Failed, Running} {
		if meta.IsStatusConditionTrue(s.Conditions, phase) {
			return phase
		}
	}
	return "Pending"
}

// finished tells whether nothing is left to do.
func finished(obj engine.Object) bool {
	phase := Phase(obj)
	return phase == Succeeded || phase == Failed
}

// status is that of a StorageVersionMigration.
type status struct {
	Conditions      []metav1.Condition `json:"conditions,omitempty"`
	ResourceVersion string             `json:"resourceVersion,omitempty"`
	Progress        *progress          `json:"progress,omitempty"`
}

// progress is how far a migration is: this server's own addition.
type progress struct {
	StorageVersion string `json:"storageVersion"`
	Definition     string `json:"definition"`
	Continue       string `json:"continue,omitempty"`
	Objects        int64  `json:"objects"`
	Seen           int64  `json:"seen"`
	Rewritten      int64  `json:"rewritten"`
}

// String is what the conditions tell of it.
func (p *progress) String() string {
	return fmt.Sprintf("%d of %d objects seen, %d rewritten in version %s", p.Seen, p.Objects, p.Rewritten, p.StorageVersion)
}

// statusOf reads a status. One that somebody else has spoilt is begun anew.
func statusOf(obj engine.Object) (s status) {
	if raw := obj.Get("status").Raw; raw != "" && json.Unmarshal([]byte(raw), &s) != nil {
		return status{}
	}
	return s
}

// set makes a condition hold; the end of a migration takes Running away, as in Kubernetes.
func (s *status) set(kind, reason, message string) {
	if kind != Running {
		meta.RemoveStatusCondition(&s.Conditions, Running)
	}
	meta.SetStatusCondition(&s.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Reason: reason, Message: message})
}

// setStatus is the change of a migration's status.
type setStatus struct {
	uid    string
	status status
}

// Apply sets the status, unless the migration is another or has ended.
func (e setStatus) Apply(current engine.Object, _ *engine.Version) (engine.Object, []string, error) {
	if current.UID() != e.uid || finished(current) {
		return nil, nil, controllers.ErrGone
	}
	raw, err := json.Marshal(e.status)
	if err != nil {
		return nil, nil, err
	}
	canonical, _, err := engine.ParseObject(raw)
	if err != nil {
		return nil, nil, err
	}
	return current.With("status", canonical), nil, nil
}

// Replaces is false.
func (setStatus) Replaces() bool { return false }

// unchanged is the change that changes nothing: what is stored in another version is written in the storage version.
type unchanged struct{}

// Apply returns the object as it is.
func (unchanged) Apply(current engine.Object, _ *engine.Version) (engine.Object, []string, error) {
	return current, nil, nil
}

// Replaces is false.
func (unchanged) Replaces() bool { return false }

var (
	_ engine.Change = setStatus{}
	_ engine.Change = unchanged{}
)
