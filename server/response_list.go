package server

import (
	"io"
	"math"
	"net/http"
	"strconv"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/negotiate"
	"github.com/stratagem-dev/stratagem/server/table"
)

// viewError reports a list that was asked for as one object, or the other way round: 406.
type viewError struct{ message string }

func (e *viewError) Error() string { return e.message }

// acceptsView makes sure that the form which was asked for is one of lists, or of single objects.
func (r *request) acceptsView(list bool) error {
	switch kind := r.answer.As.Kind; {
	case list && kind == "PartialObjectMetadata":
		return &viewError{"you requested PartialObjectMetadata, but the requested object is a list (*unstructured.UnstructuredList)"}
	case !list && kind == "PartialObjectMetadataList":
		return &viewError{"you requested PartialObjectMetadataList, but the requested object is not a list (*unstructured.Unstructured)"}
	}
	return nil
}

// listChunk is how much of a list is written at once: with the head of its frame it is just one frame of HTTP/2, as large as
// clients take them, and one record of TLS. A larger chunk would be two records for each frame, one of them of nine bytes.
const listChunk = 16<<10 - 9

// streamList writes a list as its objects come, whole or as their metadata: no second copy of it is held.
//
//   - What fails once the answer has begun breaks the connection off: half a list must not look like a whole one.
func (r *request) streamList(list *engine.ListStream) error {
	chunk := listChunk
	if acceptsGzip(r.http) {
		chunk = gzipThreshold // a small answer is not compressed
	}
	if r.answer.MediaType != negotiate.JSON {
		chunk = math.MaxInt
	}
	buf := make([]byte, 0, min(chunk, 512+list.Len()*2048)+32<<10)
	buf = r.appendListHead(buf, &list.List)
	var body io.WriteCloser
	var whole []byte // the object whose metadata is to be shown
	first := true
	err := list.Each(r.http.Context(), func(item engine.Listed) (err error) {
		if !first {
			buf = append(buf, ',')
		}
		first = false
		if r.answer.As.Empty() {
			buf = item.AppendServed(buf)
		} else {
			whole = item.AppendServed(whole[:0])
			buf = table.AppendMetadata(buf, r.answer.As.GroupVersion().String(), whole)
		}
		if len(buf) < chunk {
			return nil
		}
		if body == nil {
			body = r.begin()
			chunk = listChunk
		}
		chunks := len(buf) - len(buf)%listChunk
		for n := 0; n < chunks && err == nil; n += listChunk {
			_, err = body.Write(buf[n : n+listChunk])
		}
		buf = buf[:copy(buf, buf[chunks:])]
		return err
	})
	switch {
	case err != nil && body != nil:
		panic(http.ErrAbortHandler)
	case err != nil:
		return err
	}
	buf = append(buf, "]}"...)
	if body == nil {
		return r.write(http.StatusOK, buf)
	}
	_, _ = body.Write(buf)
	_ = body.Close()
	return nil
}

// begin begins an answer that is written in parts.
func (r *request) begin() io.WriteCloser {
	var body io.WriteCloser = plainBody{r.writer}
	r.writer.Header().Set("Content-Type", negotiate.JSON)
	r.writer.Header().Set("Cache-Control", "no-cache, private")
	if acceptsGzip(r.http) {
		body = compressed(r.writer)
	}
	r.writer.WriteHeader(http.StatusOK)
	return body
}

// appendListHead appends a list up to its first item.
func (r *request) appendListHead(buf []byte, list *engine.List) []byte {
	if !r.answer.As.Empty() {
		return table.AppendMetadataListStart(buf, r.answer.As.GroupVersion().String(), listMeta(list))
	}
	head := engine.Fields{}
	head.SetString("resourceVersion", strconv.FormatInt(list.Revision, 10))
	head.SetString("continue", list.Continue)
	if list.Remaining >= 0 {
		head.SetInt("remainingItemCount", list.Remaining)
	}
	buf = append(buf, `{"apiVersion":"`...)
	buf = append(append(buf, r.store.Resource.APIVersion(r.info.Version)...), `","kind":"`...)
	buf = append(append(buf, r.store.Resource.ListKind...), `","metadata":`...)
	return append(append(buf, head.Raw()...), `,"items":[`...)
}
