package server

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/util/json"

	"github.com/stratagem-dev/stratagem/engine"
)

// minWatch is how long a watch lasts at least that says nothing of its end; at most it is twice that.
const minWatch = 30 * time.Minute

// watch serves a stream of changes.
func (r *request) watch() error {
	req, err := r.watchRequest()
	if err != nil {
		return err
	}
	timeout, err := integer(r.query, "timeoutSeconds")
	if err != nil {
		return err
	}
	duration := time.Duration(timeout) * time.Second
	if timeout == 0 {
		duration = minWatch + rand.N(minWatch)
	}
	ctx, cancel := context.WithTimeout(r.http.Context(), duration)
	defer cancel()
	defer context.AfterFunc(r.server.ending, cancel)()
	watch, err := r.store.Watch(ctx, req)
	if err != nil {
		return err
	}
	defer watch.Stop()
	r.writer.Header().Set("Content-Type", r.streamType())
	r.writer.Header().Set("Cache-Control", "no-cache, private")
	r.writer.WriteHeader(http.StatusOK)
	r.writer.Flush()
	return r.stream(ctx, watch)
}

// watchRequest reads the parameters of a watch.
func (r *request) watchRequest() (engine.WatchRequest, error) {
	req := engine.WatchRequest{
		Info: r.info, ResourceVersion: r.query.Get("resourceVersion"), Bookmarks: isTrue(r.query, "allowWatchBookmarks"),
		SendInitialEvents: isTrue(r.query, "sendInitialEvents"),
	}
	match := engine.ResourceVersionMatch(r.query.Get("resourceVersionMatch"))
	switch {
	case r.query.Has("sendInitialEvents") && match != engine.NotOlderThan:
		return req, forbiddenOption("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")
	case !r.query.Has("sendInitialEvents") && match != "":
		return req, forbiddenOption("resourceVersionMatch", "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")
	}
	var err error
	if req.Selector, err = r.selector(); err != nil {
		return req, err
	}
	// A watch of one object by its path is one by its name.
	if r.info.Name != "" {
		req.Selector, err = r.store.Resource.ParseSelector(r.query.Get("labelSelector"), "metadata.name="+r.info.Name)
	}
	return req, err
}

// stream writes events until the watch ends. Once it runs, errors are events too.
func (r *request) stream(ctx context.Context, watch *engine.Watch) error {
	buf := make([]byte, 0, 4096)
	shown := &shownEvents{request: r}
	for {
		event, err := watch.Next(ctx)
		if err == nil {
			buf, err = shown.append(ctx, buf, event)
		}
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			if errors.Is(err, engine.ErrStopped) {
				return nil
			}
			status, _ := json.Marshal(statusOf(err, r))
			buf = append(append(append(buf, `{"type":"ERROR","object":`...), status...), "}\n"...)
			_, _ = r.writer.Write(buf)
			r.writer.Flush()
			return nil
		}
		if watch.Buffered() && len(buf) < 64<<10 {
			continue
		}
		if _, err := r.writer.Write(buf); err != nil {
			return nil
		}
		r.writer.Flush()
		buf = buf[:0]
	}
}

// shownEvents writes events in the form that the client asked for.
type shownEvents struct {
	request *request
	headers bool // the columns of a Table have been written
}

func (s *shownEvents) append(ctx context.Context, buf []byte, event engine.WatchEvent) ([]byte, error) {
	buf = append(append(append(buf, `{"type":"`...), event.Type...), `","object":`...)
	switch {
	case event.Type == engine.EventBookmark:
		buf = s.request.appendBookmark(buf, event)
	default:
		var err error
		if buf, err = s.request.appendShown(ctx, buf, event.Object.Served(event.Revision), s.headers); err != nil {
			return nil, err
		}
		s.headers = true
	}
	return append(buf, "}\n"...), nil
}

// appendBookmark appends an object that says nothing but how far the watch has come.
func (r *request) appendBookmark(buf []byte, event engine.WatchEvent) []byte {
	resource := r.store.Resource
	meta := engine.Fields{}
	if event.InitialEnd {
		meta.Set("annotations", []byte(`{"k8s.io/initial-events-end":"true"}`))
	}
	meta.SetString("resourceVersion", strconv.FormatInt(event.Revision, 10))
	fields := engine.Fields{}
	fields.SetString("apiVersion", resource.APIVersion(r.info.Version))
	fields.SetString("kind", resource.Kind)
	switch r.answer.As.Kind {
	case "Table":
		fields.SetString("apiVersion", r.answer.As.GroupVersion().String())
		fields.SetString("kind", "Table")
		fields.Set("columnDefinitions", []byte("[]"))
		fields.Set("rows", []byte("[]"))
	case "PartialObjectMetadata", "PartialObjectMetadataList":
		fields.SetString("apiVersion", r.answer.As.GroupVersion().String())
		fields.SetString("kind", "PartialObjectMetadata")
	}
	fields.Set("metadata", meta.Raw())
	return append(buf, fields.Raw()...)
}
