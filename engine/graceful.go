package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tidwall/gjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"
)

// grace is the outcome of the question whether an object is to be deleted gracefully.
type grace struct {
	graceful bool      // it is: mark it, and delete it only with 0 seconds
	pending  bool      // it is being deleted already, and nothing changes
	seconds  int64     // the grace period
	at       time.Time // when it ends
	first    bool      // the deletion begins now
}

// grace asks the strategy, and keeps Kubernetes' rules for objects that are being deleted already: their grace
// period can only become shorter.
func (s *Store) grace(ctx context.Context, req DeleteRequest, old Object) (grace, error) {
	meta := old.Meta()
	if !hooked(s.Resource.Strategy).Has(CheckGraceful) {
		return grace{}, nil
	}
	if !meta.Has("deletionTimestamp") {
		return s.checkGraceful(ctx, req, old)
	}
	was := meta.Int("deletionGracePeriodSeconds")
	if was == 0 {
		return grace{}, nil
	}
	was = max(was, 1) // Kubernetes reads a negative one as 1
	if req.Options.GracePeriodSeconds == nil || *req.Options.GracePeriodSeconds >= was {
		return grace{pending: true, seconds: was}, nil
	}
	seconds := *req.Options.GracePeriodSeconds
	ends, err := time.Parse(time.RFC3339, meta.String("deletionTimestamp"))
	if err != nil {
		return grace{}, fmt.Errorf("metadata.deletionTimestamp: %w", err)
	}
	at := ends.Add(time.Duration(seconds-was) * time.Second)
	if at.Before(req.Info.Time) {
		at = req.Info.Time
		if seconds != 0 {
			seconds = 1
		}
	}
	return grace{graceful: true, seconds: seconds, at: at}, nil
}

// checkGraceful runs the CheckGracefulDelete hook.
func (s *Store) checkGraceful(ctx context.Context, req DeleteRequest, old Object) (grace, error) {
	options, err := optionsObject(req.Options)
	if err != nil {
		return grace{}, err
	}
	reply, err := s.run(ctx, s.Resource.Strategy, HooksOf(CheckGraceful), &Call{Request: req.Info, Object: old, Options: options})
	if err != nil {
		return grace{}, err
	}
	answer := gjson.GetManyBytes(reply.Result, "graceful", "gracePeriodSeconds")
	if !answer[0].Bool() {
		return grace{}, nil
	}
	if !answer[1].Exists() || answer[1].Int() < 0 {
		return grace{}, &HookError{Plugin: s.Resource.Plural, Revision: s.Resource.Revision, Hook: "CheckGracefulDelete",
			Kind: FailedMalformed, Err: fmt.Errorf("gracePeriodSeconds is %s", answer[1].Raw)}
	}
	seconds := answer[1].Int()
	return grace{graceful: true, seconds: seconds, at: req.Info.Time.Add(time.Duration(seconds) * time.Second), first: true}, nil
}

// optionsObject is DeleteOptions as hooks get them.
func optionsObject(options metav1.DeleteOptions) (Object, error) {
	raw, err := json.Marshal(options)
	if err != nil {
		return nil, err
	}
	obj, _, err := ParseObject(raw)
	return obj, err
}

// mark writes the grace period into metadata.
func (g grace) mark(meta *Fields) {
	meta.Set("deletionTimestamp", timestamp(g.at))
	meta.SetInt("deletionGracePeriodSeconds", g.seconds)
	if g.first {
		bumpGeneration(meta)
	}
}

func hasFinalizers(meta Fields) bool {
	return len(gjson.ParseBytes(meta.Get("finalizers")).Array()) > 0
}

// setFinalizers puts on the finalizer of the propagation policy, or takes it off, for the garbage collector to see.
func setFinalizers(meta *Fields, options metav1.DeleteOptions) {
	var old, finalizers []string
	for _, f := range gjson.ParseBytes(meta.Get("finalizers")).Array() {
		old = append(old, f.String())
	}
	for _, f := range old {
		if f != metav1.FinalizerOrphanDependents && f != metav1.FinalizerDeleteDependents {
			finalizers = append(finalizers, f)
		}
	}
	if policy := propagation(old, options); policy != "" {
		finalizers = append(finalizers, policy)
	}
	if !slices.Equal(sorted(old), sorted(finalizers)) {
		meta.SetStrings("finalizers", finalizers)
	}
}

// propagation is the finalizer that the options ask for; without options the one that is there decides.
func propagation(finalizers []string, options metav1.DeleteOptions) string {
	if orphan := options.OrphanDependents; orphan != nil { //nolint:staticcheck // old clients still send it
		if *orphan {
			return metav1.FinalizerOrphanDependents
		}
		return ""
	}
	if policy := options.PropagationPolicy; policy != nil {
		switch *policy {
		case metav1.DeletePropagationOrphan:
			return metav1.FinalizerOrphanDependents
		case metav1.DeletePropagationForeground:
			return metav1.FinalizerDeleteDependents
		default:
			return ""
		}
	}
	for _, f := range finalizers {
		if f == metav1.FinalizerOrphanDependents || f == metav1.FinalizerDeleteDependents {
			return f
		}
	}
	return ""
}

func sorted(s []string) []string {
	s = slices.Clone(s)
	slices.Sort(s)
	return s
}
