package server

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"sigs.k8s.io/yaml"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/explain"
	"github.com/stratagem-dev/stratagem/server/negotiate"
	"github.com/stratagem-dev/stratagem/server/table"
)

// writeResult answers a write.
func (r *request) writeResult(code int, result engine.Result) error {
	if r.trace != nil {
		return r.writeExplanation(explain.Outcome{Code: code, Warnings: result.Warnings, Object: json.RawMessage(result.Object)})
	}
	addWarnings(r.writer.Header(), result.Warnings)
	return r.writeObject(code, result.Object)
}

// writeObject answers with one object, in the form that was asked for.
func (r *request) writeObject(code int, obj engine.Object) error {
	if r.answer.As.Empty() {
		return r.write(code, obj)
	}
	buf, err := r.appendShown(r.http.Context(), nil, obj, false)
	if err != nil {
		return err
	}
	return r.write(code, buf)
}

// appendShown appends an object that has its resourceVersion, as itself, as a Table or as its metadata.
func (r *request) appendShown(ctx context.Context, buf []byte, obj engine.Object, noHeaders bool) ([]byte, error) {
	switch r.answer.As.Kind {
	case "":
		return append(buf, obj...), nil
	case "Table":
		return r.appendTable(ctx, buf, table.ListMeta{ResourceVersion: obj.ResourceVersion()}, []engine.Object{obj}, noHeaders)
	default:
		return table.AppendMetadata(buf, r.answer.As.GroupVersion().String(), obj), nil
	}
}

func (r *request) appendTable(ctx context.Context, buf []byte, meta table.ListMeta, objects []engine.Object, noHeaders bool) ([]byte, error) {
	include, err := table.ParseInclude(r.query.Get("includeObject"))
	if err != nil {
		return nil, badRequest("%v", err)
	}
	info := *r.info
	if info.Verb == "watch" {
		info.Time = time.Now() // it may have begun long ago
	}
	cells, err := r.store.TableCells(ctx, &info, objects)
	if err != nil {
		return nil, err
	}
	columns, err := r.view.table(r.version)
	if err != nil {
		r.server.log.Warn("a resource cannot be shown in full", "resource", r.store.Resource.GroupResource(), "version", r.version.Name, "error", err)
	}
	options := table.Options{APIVersion: r.answer.As.GroupVersion().String(), Include: include, NoHeaders: noHeaders, Now: info.Time}
	return columns.Append(buf, options, meta, raws(objects), cells), nil
}

func raws(objects []engine.Object) [][]byte {
	items := make([][]byte, len(objects))
	for i, obj := range objects {
		items[i] = obj
	}
	return items
}

// writeList answers with a list, in the form that was asked for.
func (r *request) writeList(list engine.List) error {
	if err := r.acceptsView(true); err != nil {
		return err
	}
	if r.answer.As.Kind != "Table" {
		return r.streamList(&engine.ListStream{List: list})
	}
	buf, err := r.appendTable(r.http.Context(), nil, listMeta(&list), servedObjects(list), false)
	if err != nil {
		return err
	}
	return r.write(http.StatusOK, buf)
}

// listMeta is what a list says of itself.
func listMeta(list *engine.List) table.ListMeta {
	meta := table.ListMeta{ResourceVersion: strconv.FormatInt(list.Revision, 10), Continue: list.Continue}
	if list.Remaining >= 0 {
		meta.RemainingItemCount = &list.Remaining
	}
	return meta
}

func servedObjects(list engine.List) []engine.Object {
	objects := make([]engine.Object, len(list.Items))
	for i, item := range list.Items {
		objects[i] = item.Served()
	}
	return objects
}

// write writes a whole JSON answer, as YAML where that was asked for.
func (r *request) write(code int, body []byte) error {
	return writeBody(r.writer, code, r.answer, acceptsGzip(r.http), body)
}

func writeBody(w http.ResponseWriter, code int, answer negotiate.Answer, zip bool, body []byte) error {
	if answer.MediaType == negotiate.YAML {
		converted, err := yaml.JSONToYAML(body)
		if err != nil {
			return err
		}
		body = converted
	}
	header := w.Header()
	header.Set("Content-Type", orElse(answer.MediaType, negotiate.JSON))
	header.Set("Cache-Control", "no-cache, private")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	var out io.WriteCloser = plainBody{w}
	if zip && len(body) > gzipThreshold {
		out = compressed(w)
	}
	w.WriteHeader(code)
	_, _ = out.Write(body)
	_ = out.Close()
	return nil
}

func orElse(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}

// writeStatus answers with a metav1.Status, which tells its code only where Kubernetes' does.
func (r *request) writeStatus(code int, status *metav1.Status) error {
	if r.trace != nil {
		return r.writeExplanation(explain.Outcome{Code: code})
	}
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	body, err := json.Marshal(status)
	if err != nil {
		return err
	}
	return r.write(code, body)
}

// streamType is the Content-Type of a watch.
func (r *request) streamType() string {
	if r.answer.As.Empty() {
		return negotiate.JSON
	}
	gv := r.answer.As
	return negotiate.JSON + ";as=" + gv.Kind + ";g=" + gv.Group + ";v=" + gv.Version
}

// addWarnings puts warnings into headers, as kubectl and client-go print them.
func addWarnings(header http.Header, warnings []string) {
	for _, text := range warnings {
		if value, err := utilnet.NewWarningHeader(299, "-", text); err == nil {
			header.Add("Warning", value)
		}
	}
}

func uidOf(obj engine.Object) types.UID { return types.UID(obj.UID()) }

func join(list []string) string { return strings.Join(list, ", ") }
