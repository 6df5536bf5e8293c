package rollout

import (
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/jsondiff"
)

// Sample is one difference, for people to read.
type Sample struct {
	Time        string `json:"time"`
	Kind        Kind   `json:"kind"`
	Verb        string `json:"verb"`
	Resource    string `json:"resource"`
	Subresource string `json:"subresource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name"`
	// Active and Candidate are what each revision said: its error, or its warnings.
	Active    []string `json:"active,omitempty"`
	Candidate []string `json:"candidate,omitempty"`
	// Patch makes the candidate's object of the active one's; Omitted operations and all values too long to be shown are left out.
	Patch   []jsondiff.Operation `json:"patch,omitempty"`
	Omitted int                  `json:"omitted,omitempty"`
}

// The bounds of samples.
const (
	MaxSamples  = 10
	maxAlike    = 3 // of a kind
	maxText     = 256
	maxTexts    = 4
	maxPatch    = 8
	maxValue    = 256
	maxPathText = 256
)

// wants tells whether a sample of a kind adds to those that are there.
func wants(samples []Sample, kind Kind) bool {
	alike := 0
	for i := range samples {
		if samples[i].Kind == kind {
			alike++
		}
	}
	return alike < maxAlike && len(samples) < MaxSamples
}

// Merge adds those samples of another server to some that add to them.
func Merge(samples, more []Sample) []Sample {
	for i := range more {
		if !has(samples, &more[i]) && wants(samples, more[i].Kind) {
			samples = append(samples, more[i])
		}
	}
	return samples
}

func has(samples []Sample, s *Sample) bool {
	for i := range samples {
		o := &samples[i]
		if o.Time == s.Time && o.Kind == s.Kind && o.Verb == s.Verb && o.Namespace == s.Namespace && o.Name == s.Name {
			return true
		}
	}
	return false
}

// sample shows a difference. Of Secrets neither values are shown nor texts, which may quote them: only what fields are concerned.
func (d *Difference) sample() Sample {
	info := d.job.Info
	s := Sample{
		Time: info.Time.UTC().Format(time.RFC3339Nano), Kind: d.Kind, Verb: info.Verb, Resource: d.job.Twins.Active.Resource.GroupResource().String(),
		Subresource: info.Subresource, Namespace: info.Namespace, Name: cut(d.job.name(), maxText),
	}
	secret := info.Resource == "secrets"
	s.Active, s.Candidate = said(&d.active, d.Kind, secret), said(&d.candidate, d.Kind, secret)
	if d.Kind != DifferentObjects {
		return s
	}
	patch, err := jsondiff.Diff(withoutChance(d.active.object), withoutChance(d.candidate.object))
	if err != nil {
		return s // cannot be: objects are JSON
	}
	if len(patch) > maxPatch {
		patch, s.Omitted = patch[:maxPatch], len(patch)-maxPatch
	}
	for i := range patch {
		patch[i].Path = cut(patch[i].Path, maxPathText)
		if secret || len(patch[i].Value) > maxValue {
			patch[i].Value = nil
		}
	}
	s.Patch = patch
	return s
}

// said is what an outcome has to say: its error, or where warnings differ those.
func said(o *outcome, kind Kind, secret bool) (texts []string) {
	switch {
	case o.err != nil:
		texts = errorTexts(o.err, secret)
	case kind == DifferentWarnings && !secret:
		texts = o.warnings
	}
	if len(texts) > maxTexts {
		texts = texts[:maxTexts]
	}
	short := make([]string, len(texts))
	for i, text := range texts {
		short[i] = cut(text, maxText)
	}
	return short
}

// errorTexts are the field errors of an error, or its text.
func errorTexts(err error, secret bool) (texts []string) {
	var invalid *engine.InvalidError
	isInvalid := errors.As(err, &invalid)
	switch {
	case isInvalid && secret:
		for _, e := range invalid.Errors {
			texts = append(texts, e.Field+": "+e.Type.String())
		}
		return texts
	case isInvalid:
		for _, e := range invalid.Errors {
			texts = append(texts, e.Error())
		}
		return texts
	case secret:
		return nil
	}
	return []string{err.Error()}
}

// cut is a text of at most so many bytes, without what no terminal should be sent.
func cut(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}
