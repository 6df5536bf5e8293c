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

// lastBookmark is how long before a watch ends it says how far it is, so that the next one can go on from there.
const lastBookmark = 2 * time.Second

// watch serves a stream of changes.
func (r *request) watch() error {
	options, selector, err := r.listOptions()
	if err != nil {
		return err
	}
	duration := minWatch + rand.N(minWatch)
	if t := options.TimeoutSeconds; t != nil && *t != 0 {
		duration = time.Duration(*t) * time.Second
	}
	ctx, cancel := context.WithTimeout(r.http.Context(), duration)
	defer cancel()
	defer context.AfterFunc(r.server.ending, cancel)()
	watch, err := r.store.Watch(ctx, engine.WatchRequest{
		Info: r.info, Selector: selector, ResourceVersion: options.ResourceVersion,
		SendInitialEvents: options.SendInitialEvents, Bookmarks: options.AllowWatchBookmarks,
	})
	if err != nil && !endsStream(err) {
		return err
	}
	if err == nil {
		defer watch.Stop()
		if options.AllowWatchBookmarks && duration > lastBookmark {
			defer time.AfterFunc(duration-lastBookmark, func() { _ = watch.RequestProgress(ctx) }).Stop()
		}
	}
	if isWebSocket(r.http) {
		return r.streamFrames(ctx, watch, err)
	}
	r.writer.Header().Set("Content-Type", r.streamType())
	r.writer.Header().Set("Cache-Control", "no-cache, private")
	r.writer.WriteHeader(http.StatusOK)
	r.writer.Flush()
	return r.stream(ctx, watch, err)
}

// endsStream tells the errors that a client of a watch hears of by an event: it has done nothing wrong, it has to list again.
func endsStream(err error) bool {
	var expired *engine.ExpiredError
	var future *engine.TooLargeVersionError
	return errors.As(err, &expired) || errors.As(err, &future)
}

// stream writes events until the watch ends. Once it runs, errors are events too; failed is one that it begins with.
func (r *request) stream(ctx context.Context, watch *engine.Watch, failed error) error {
	buf := make([]byte, 0, 4096)
	shown := &shownEvents{request: r}
	for {
		var more bool
		if buf, more = shown.next(ctx, buf, watch, failed); more && watch.Buffered() && len(buf) < 64<<10 {
			continue
		}
		if len(buf) > 0 {
			if _, err := r.writer.Write(buf); err != nil {
				return nil
			}
			r.writer.Flush()
		}
		if !more {
			return nil
		}
		buf = buf[:0]
	}
}

// shownEvents writes events in the form that the client asked for.
type shownEvents struct {
	request *request
	headers bool // the columns of a Table have been written
}

// next appends the next event of a watch: the one that ends it is an error, or nothing where there is nobody to tell it to.
func (s *shownEvents) next(ctx context.Context, buf []byte, watch *engine.Watch, err error) (_ []byte, more bool) {
	var event engine.WatchEvent
	if err == nil {
		event, err = watch.Next(ctx)
	}
	start := len(buf)
	if err == nil {
		buf, err = s.append(ctx, buf, event)
	}
	switch {
	case err == nil:
		return buf, true
	case ctx.Err() != nil, errors.Is(err, engine.ErrStopped):
		return buf[:start], false
	}
	status, _ := json.Marshal(statusOf(err, s.request))
	return append(append(append(buf[:start], `{"type":"ERROR","object":`...), status...), "}\n"...), false
}

func (s *shownEvents) append(ctx context.Context, buf []byte, event engine.WatchEvent) ([]byte, error) {
	buf = append(append(append(buf, `{"type":"`...), event.Type...), `","object":`...)
	if event.Type == engine.EventBookmark {
		return append(s.request.appendBookmark(buf, event), "}\n"...), nil
	}
	if s.request.answer.As.Empty() {
		return append(event.AppendServed(buf), "}\n"...), nil
	}
	out, err := s.request.appendShown(ctx, buf, event.Served(), s.headers)
	if err != nil {
		return buf, err
	}
	s.headers = true
	return append(out, "}\n"...), nil
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
