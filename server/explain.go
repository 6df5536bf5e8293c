package server

import (
	"encoding/json"
	"errors"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/server/explain"
)

// StatusOf is the Status that a client gets for an error of the engine.
func StatusOf(err error) *metav1.Status { return statusOf(err, nil) }

// explain has the request answered with an Explanation of what it would come to, for ?explain=true. Nothing may be stored.
func (r *request) explain() error {
	if !r.runsLifecycle() {
		return badRequest("explain: a %s runs no lifecycle; create, update, patch and delete do", r.info.Verb)
	}
	if !r.info.DryRun {
		return invalidOptions(r.info.Verb, field.ErrorList{field.Forbidden(field.NewPath("explain"), "may only be used together with dryRun=All")})
	}
	r.trace = &explain.Trace{}
	r.store = r.trace.Store(r.store)
	return nil
}

// explainError answers an explained request that was refused. What arose before its lifecycle could begin is no matter of it.
func (r *request) explainError(err error) error {
	if r.trace == nil || err == nil || isStale(err) || errors.Is(err, errPath) {
		return err
	}
	status := statusOf(err, r)
	return r.writeExplanation(explain.Outcome{Code: int(status.Code), Status: status})
}

// writeExplanation answers with what the trace has seen.
func (r *request) writeExplanation(outcome explain.Outcome) error {
	body, err := json.Marshal(r.trace.Explain(r.info, outcome))
	if err != nil {
		return err
	}
	return r.write(http.StatusOK, body)
}
