package rollout

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/stratagem-dev/stratagem/engine"
)

// Stored tells what a revision would make of the objects that are stored of one resource, all read at one resourceVersion.
type Stored struct {
	Resource        string `json:"resource"`
	ResourceVersion string `json:"resourceVersion"`
	Objects         int64  `json:"objects"`
	// Differing are the objects of which the revision makes something else, in an update, in a create, or in both.
	Differing int64 `json:"differing"`
	// Unreadable are the objects that the active revision itself cannot read; nothing is compared of them.
	Unreadable int64 `json:"unreadable,omitempty"`
	// Update is what comes of putting each object as clients read it, Create of creating it anew.
	Update  Counts   `json:"update"`
	Create  Counts   `json:"create"`
	Samples []Sample `json:"samples,omitempty"`
}

// Survey compares what two revisions make of the objects that are stored of a resource. Nothing is written.
type Survey struct {
	Twins *Twins
	// Storage is what the objects are kept in.
	Storage engine.Storage
	User    engine.User
	// Progress is told now and then how many of all objects have been compared.
	Progress func(done, all int64)

	mu     sync.Mutex
	stored Stored
	done   int64
}

// surveyPage is how many objects are read at a time.
const surveyPage = 500

// Run compares all objects, on half of the processors at most. It fails with *engine.CompactedError where it took so long that the
// revision is gone that it began at.
func (s *Survey) Run(ctx context.Context) (Stored, error) {
	resource := s.Twins.Active.Resource
	s.stored.Resource = resource.GroupResource().String()
	options := engine.ListOptions{Limit: surveyPage}
	for {
		page, err := s.Storage.List(ctx, resource.KeyRoot+"/", options)
		if err != nil {
			return Stored{}, err
		}
		if options.Revision == 0 {
			options.Revision, s.stored.Objects = page.Revision, page.Count
			s.stored.ResourceVersion = fmt.Sprint(page.Revision)
		}
		if err := s.page(ctx, page.Items, page.Revision); err != nil {
			return Stored{}, err
		}
		if s.Progress != nil {
			s.Progress(s.done, s.stored.Objects)
		}
		if !page.More || len(page.Items) == 0 {
			return s.stored, nil
		}
		options.From = page.Items[len(page.Items)-1].Key + "\x00"
	}
}

// page compares the objects of a page.
func (s *Survey) page(ctx context.Context, items []engine.Item, revision int64) error {
	next := make(chan *engine.Item)
	failed := make(chan error, 1)
	var workers sync.WaitGroup
	for range max(1, runtime.GOMAXPROCS(0)/2) {
		workers.Go(func() {
			for item := range next {
				if err := s.object(ctx, item, revision); err != nil {
					select {
					case failed <- err:
					default:
					}
				}
			}
		})
	}
	for i := range items {
		if ctx.Err() != nil || len(failed) > 0 {
			break
		}
		next <- &items[i]
	}
	close(next)
	workers.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return ctx.Err()
	}
}

// object compares what becomes of one object when it is put as it is, and when it is created anew.
func (s *Survey) object(ctx context.Context, item *engine.Item, revision int64) error {
	ctx, cancel := context.WithTimeout(ctx, replayTime)
	defer cancel()
	info := s.request(item.Key)
	then := &past{item: &engine.Item{Key: item.Key, Data: item.Data, Revision: item.Revision}, revision: revision}
	obj, err := s.Twins.Active.Over(then).Get(ctx, engine.GetRequest{Info: info})
	if err != nil {
		return s.unreadable(ctx, err)
	}
	put, post := *info, *info
	put.Verb, post.Verb = "update", "create"
	update := &Job{Twins: s.Twins, Info: &put, Update: &engine.UpdateRequest{Info: &put, Change: engine.Replace{Object: obj}}}
	create := &Job{Twins: s.Twins, Info: &post, Create: &engine.CreateRequest{Info: &post, Object: obj.Stored()}}
	var differences [2]Difference
	for i, job := range []*Job{update, create} {
		past := then
		if job.Create != nil {
			past = &empty
		}
		if differences[i], err = s.Twins.compareOn(ctx, job, past); err != nil {
			return err
		}
	}
	s.note(differences[0], differences[1])
	return nil
}

// empty is where nothing has been written yet.
var empty past

// request is one for the object of a key, in the storage version.
func (s *Survey) request(key string) *engine.RequestInfo {
	resource := s.Twins.Active.Resource
	info := &engine.RequestInfo{
		Verb: "get", Group: resource.Group, Version: resource.StorageVersion().Name, Resource: resource.Plural, User: s.User, Manager: "stratagem", Time: time.Now(),
	}
	info.Name = strings.TrimPrefix(key, resource.KeyRoot+"/")
	if resource.Namespaced {
		info.Namespace, info.Name, _ = strings.Cut(info.Name, "/")
	}
	return info
}

// compareOn makes a request by both revisions on the same and compares. What has not come to a verdict by the active revision is an error;
// where the candidate has not, it has failed.
func (t *Twins) compareOn(ctx context.Context, j *Job, then *past) (Difference, error) {
	active := t.replay(ctx, j, t.measuredActive, then)
	if active.verdict == Undone {
		return Difference{}, fmt.Errorf("%s %s by the active revision: %w", j.Info.Verb, j.name(), active.err)
	}
	candidate := t.replay(ctx, j, t.measuredCandidate, then)
	var busy *engine.BusyError
	if candidate.verdict == Undone {
		if ctx.Err() != nil || errors.As(candidate.err, &busy) {
			return Difference{}, fmt.Errorf("%s %s by the candidate: %w", j.Info.Verb, j.name(), candidate.err)
		}
		candidate.verdict = Failed
	}
	return compare(j, active, candidate), nil
}

// unreadable counts an object that the active revision cannot read.
func (s *Survey) unreadable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	s.stored.Unreadable++
	return nil
}

// note counts what came of one object.
func (s *Survey) note(update, create Difference) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done++
	s.stored.Update.add(update)
	s.stored.Create.add(create)
	if update.Kind != "" || create.Kind != "" {
		s.stored.Differing++
	}
	for _, d := range []Difference{update, create} {
		if d.Kind != "" && wants(s.stored.Samples, d.Kind) {
			s.stored.Samples = append(s.stored.Samples, d.sample())
		}
	}
}
