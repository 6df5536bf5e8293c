package server

import (
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// gzipThreshold is how large an answer has to be to be compressed, as in Kubernetes.
const gzipThreshold = 128 << 10

var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	return w
}}

// acceptsGzip tells whether the client takes compressed answers.
func acceptsGzip(r *http.Request) bool {
	for token := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		if strings.TrimSpace(token) == "gzip" {
			return true
		}
	}
	return false
}

// compressed makes a writer of the body, and of the answer a compressed one. The body is whole once the writer is closed.
func compressed(w http.ResponseWriter) io.WriteCloser {
	header := w.Header()
	header.Set("Content-Encoding", "gzip")
	header.Add("Vary", "Accept-Encoding")
	header.Del("Content-Length")
	out := gzipWriters.Get().(*gzip.Writer)
	out.Reset(w)
	return pooledGzip{out}
}

// pooledGzip goes back to where it came from.
type pooledGzip struct{ *gzip.Writer }

func (p pooledGzip) Close() error {
	err := p.Writer.Close()
	p.Reset(nil)
	gzipWriters.Put(p.Writer)
	return err
}

// plainBody is a body as it is.
type plainBody struct{ io.Writer }

func (plainBody) Close() error { return nil }
