package server

import (
	"net/http"
	"strconv"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/negotiate"
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

// listChunk is how much of a list is held before it is written.
const listChunk = 64 << 10

// streamList writes a list as its objects come: no second copy of it is held.
//
//   - What fails once the answer has begun breaks the connection off: half a list must not look like a whole one.
func (r *request) streamList(list *engine.ListStream) error {
	buf := make([]byte, 0, min(listChunk+16<<10, 512+list.Len()*2048))
	buf = r.appendListHead(buf, &list.List)
	whole := r.answer.MediaType != negotiate.JSON
	first := true
	err := list.Each(r.http.Context(), func(item engine.Listed) error {
		if !first {
			buf = append(buf, ',')
		}
		first = false
		buf = item.Object.AppendServed(buf, item.Revision)
		if len(buf) < listChunk || whole {
			return nil
		}
		err := r.writePart(buf)
		buf = buf[:0]
		return err
	})
	switch {
	case err != nil && r.writer.Committed:
		panic(http.ErrAbortHandler)
	case err != nil:
		return err
	}
	buf = append(buf, "]}"...)
	if !r.writer.Committed {
		return r.write(http.StatusOK, buf)
	}
	_ = r.writePart(buf)
	return nil
}

// appendListHead appends a list up to its first item.
func (r *request) appendListHead(buf []byte, list *engine.List) []byte {
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

func (r *request) writePart(buf []byte) error {
	if !r.writer.Committed {
		r.writer.Header().Set("Content-Type", negotiate.JSON)
		r.writer.Header().Set("Cache-Control", "no-cache, private")
		r.writer.WriteHeader(http.StatusOK)
	}
	_, err := r.writer.Write(buf)
	return err
}
