package sdk

import (
	"errors"
	"strconv"

	"github.com/tidwall/gjson"
)

// Ref names one object.
type Ref struct {
	Group     string // empty for the core group
	Resource  string // the plural: "configmaps"
	Namespace string // empty for resources without one
	Name      string
}

// Selection picks objects of one resource.
type Selection struct {
	Group     string // empty for the core group
	Resource  string // the plural: "configmaps"
	Namespace string // empty for resources without one, and for all namespaces
	// LabelSelector is as in kubectl: "app=web,tier in (a,b)"; empty picks all.
	LabelSelector string
	// Limit is the most objects to return; 0 is as many as the server lets a call read.
	Limit int
}

// Selected is what a Selection picked, in the order of namespaces and names.
type Selected struct {
	Objects         []*Object
	ResourceVersion string // at which all of them were read
	More            bool   // there are more than Limit
}

// ReadError is why an object could not be read. Code and Reason are those of a metav1.Status: 403 where the operator has
// not granted the plugin to read it, 404 where it does not exist, 429 where the call has read as much as it may.
type ReadError struct {
	Code    int
	Reason  string
	Message string
}

func (e *ReadError) Error() string { return e.Message }

// IsNotFound tells whether err says that there is no such object.
func IsNotFound(err error) bool { return readCode(err) == 404 }

// IsForbidden tells whether err says that the operator has not granted the plugin to read it.
func IsForbidden(err error) bool { return readCode(err) == 403 }

func readCode(err error) int {
	var failed *ReadError
	if errors.As(err, &failed) {
		return failed.Code
	}
	return 0
}

// Get reads another object as it is stored: in the version and the form that it has there, without managedFields. An error is
// a *ReadError.
//
//   - The operator has to grant it, in spec.reads of the StrategyPlugin.
//   - It is as new as the newest write that was answered before the hook ran, but may change before the write of this request is made.
func (c *Context) Get(ref Ref) (*Object, error) {
	if ref.Name == "" {
		return nil, &ReadError{400, "BadRequest", "a name is required to get one of " + ref.Resource}
	}
	answer, _, err := c.read(func(w *jsonWriter) {
		w.string("group", ref.Group)
		w.string("name", ref.Name)
		w.string("namespace", ref.Namespace)
		w.string("resource", ref.Resource)
	})
	if err != nil {
		return nil, err
	}
	if len(answer) != 1 {
		return nil, &ReadError{500, "InternalError", strconv.Itoa(len(answer)) + " objects in the answer to a get"}
	}
	return answer[0], nil
}

// List reads other objects, with what is said of Get.
func (c *Context) List(selection Selection) (Selected, error) {
	objects, status, err := c.read(func(w *jsonWriter) {
		w.string("group", selection.Group)
		w.string("labelSelector", selection.LabelSelector)
		if selection.Limit != 0 {
			w.key("limit")
			w.dst = strconv.AppendInt(w.dst, int64(selection.Limit), 10)
		}
		w.string("namespace", selection.Namespace)
		w.string("resource", selection.Resource)
	})
	if err != nil {
		return Selected{}, err
	}
	return Selected{objects, status.Get("resourceVersion").Str, status.Get("more").Bool()}, nil
}

// read sends a query to the server.
func (c *Context) read(query func(*jsonWriter)) ([]*Object, gjson.Result, error) {
	var w jsonWriter
	w.open('{')
	query(&w)
	w.close('}')
	ask := hostRead
	if c.reader != nil {
		ask = c.reader
	}
	segments, err := DecodeFrame(ask(text(w.dst)))
	if err != nil || len(segments) == 0 {
		return nil, gjson.Result{}, &ReadError{500, "InternalError", "the server's answer to a read is no frame"}
	}
	status := gjson.Parse(segments[0])
	if code := int(status.Get("code").Int()); code != 200 {
		return nil, status, &ReadError{code, status.Get("reason").Str, status.Get("message").Str}
	}
	objects := make([]*Object, len(segments)-1)
	for i, raw := range segments[1:] {
		objects[i] = newObject(raw)
	}
	return objects, status, nil
}
