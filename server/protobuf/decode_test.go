package protobuf

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	encoding "k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// TestDecodeEveryKind reads the encodings of all kinds that k8s.io/api keeps beside its types, with
// every field filled, and compares with their JSON.
func TestDecodeEveryKind(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(apiModule(t), "testdata", "HEAD", "*.pb"))
	if err != nil {
		t.Fatal(err)
	}
	notServed := regexp.MustCompile(`^(admission|imagepolicy|apidiscovery)\.|WatchEvent$`) // watch events have no envelope
	read := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".pb")
		if notServed.MatchString(name) {
			continue
		}
		read++
		got, gvk, err := Decode(readFile(t, file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := readFile(t, strings.TrimSuffix(file, ".pb")+".json")
		if !reflect.DeepEqual(tree(t, got), tree(t, want)) {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
		if !strings.HasSuffix(name, "."+gvk.Version+"."+gvk.Kind) {
			t.Errorf("%s: kind %s", name, gvk)
		}
	}
	if read < 100 {
		t.Errorf("read %d files only", read)
	}
}

func TestDecode(t *testing.T) {
	grace := int64(5)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", Annotations: map[string]string{"html": "<&>"}}}
	for _, test := range []struct {
		apiVersion, kind string
		obj              runtime.Object
		want             string
	}{
		{"v1", "Pod", pod, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","annotations":{"html":"<&>"}},"spec":{"containers":null},"status":{}}`},
		{"policy/v1", "Eviction", &policyv1.Eviction{DeleteOptions: &metav1.DeleteOptions{GracePeriodSeconds: &grace}},
			`{"kind":"Eviction","apiVersion":"policy/v1","metadata":{},"deleteOptions":{"gracePeriodSeconds":5}}`},
		{"v1", "Binding", &corev1.Binding{Target: corev1.ObjectReference{Name: "node"}},
			`{"kind":"Binding","apiVersion":"v1","metadata":{},"target":{"name":"node"}}`},
		{"apps/v1", "DeleteOptions", &metav1.DeleteOptions{DryRun: []string{"All"}},
			`{"kind":"DeleteOptions","apiVersion":"apps/v1","dryRun":["All"]}`},
		{"example.com/v1", "CreateOptions", &metav1.CreateOptions{FieldManager: "m"},
			`{"kind":"CreateOptions","apiVersion":"example.com/v1","fieldManager":"m"}`},
	} {
		got, gvk, err := Decode(encode(t, test.apiVersion, test.kind, test.obj))
		if err != nil {
			t.Errorf("%s: %v", test.kind, err)
		} else if string(got) != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.kind, got, test.want)
		}
		if gvk.GroupVersion().String() != test.apiVersion || gvk.Kind != test.kind {
			t.Errorf("%s %s: said to be %s", test.apiVersion, test.kind, gvk)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	pod := encode(t, "v1", "Pod", &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	for name, test := range map[string]struct {
		data []byte
		as   any // the type or value that the error must be
		want string
	}{
		"nothing":           {nil, ErrNotProtobuf, `does not begin with "k8s\x00"`},
		"JSON":              {[]byte(`{"kind":"Pod"}`), ErrNotProtobuf, "not Kubernetes protobuf"},
		"half a magic":      {[]byte("k8s"), ErrNotProtobuf, "not Kubernetes protobuf"},
		"magic only":        {[]byte("k8s\x00"), new(*EnvelopeError), "kind is not set"},
		"truncated":         {pod[:len(pod)-3], new(*EnvelopeError), "cannot be decoded: unexpected EOF"},
		"no version":        {seal(t, runtime.Unknown{TypeMeta: runtime.TypeMeta{Kind: "Pod"}}), new(*EnvelopeError), "apiVersion is not set"},
		"strange version":   {seal(t, runtime.Unknown{TypeMeta: runtime.TypeMeta{Kind: "Pod", APIVersion: "a/b/c"}}), new(*EnvelopeError), "a/b/c"},
		"compressed":        {seal(t, runtime.Unknown{TypeMeta: podType, ContentEncoding: "gzip"}), new(*EnvelopeError), `content encoding "gzip" is not supported`},
		"JSON inside":       {seal(t, runtime.Unknown{TypeMeta: podType, ContentType: "application/json", Raw: []byte("{}")}), new(*EnvelopeError), `content type "application/json" is not supported`},
		"custom resource":   {encode(t, "example.com/v1", "CronTab", &corev1.Pod{}), new(*KindError), `no kind "CronTab" of version "example.com/v1"`},
		"internal version":  {encode(t, "__internal", "Pod", &corev1.Pod{}), new(*KindError), `no kind "Pod" of version "__internal"`},
		"internal event":    {encode(t, "apps/__internal", "WatchEvent", &corev1.Pod{}), new(*KindError), `"WatchEvent"`},
		"message truncated": {seal(t, runtime.Unknown{TypeMeta: podType, Raw: []byte("\x0a\x05a")}), ErrMalformed, "kind Pod: it is truncated"},
		"wrong wire type":   {seal(t, runtime.Unknown{TypeMeta: podType, Raw: []byte("\x08\x01")}), new(*MessageError), "v1, kind Pod: proto: wrong wireType"},
		"group":             {seal(t, runtime.Unknown{TypeMeta: podType, Raw: []byte("\x0b\x0c")}), ErrMalformed, "not protobuf"},
		"not JSON inside":   {encode(t, "v1", "List", &corev1.List{Items: []runtime.RawExtension{{Raw: []byte("k8s")}}}), new(*MessageError), "kind List"},
	} {
		out, _, err := Decode(test.data)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
		if out != nil {
			t.Errorf("%s: an error and %q", name, out)
		}
		if target, ok := test.as.(error); ok && !errors.Is(err, target) || !ok && !errors.As(err, test.as) {
			t.Errorf("%s: error is a %T", name, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(f, "v1", "Pod", &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}))
	f.Add(encode(f, "policy/v1", "Eviction", &policyv1.Eviction{DeleteOptions: &metav1.DeleteOptions{}}))
	f.Add(encode(f, "v1", "DeleteOptions", &metav1.DeleteOptions{}))
	f.Add([]byte("k8s\x00\x0a\x07\x0a\x02v1\x12\x01P"))
	f.Add(hostile("v1", "PodList", []byte{0x12, 0}, 1000))
	f.Fuzz(func(t *testing.T, data []byte) {
		out, gvk, err := Decode(data)
		if err != nil {
			return
		}
		var meta metav1.TypeMeta
		if err := json.Unmarshal(out, &meta); err != nil {
			t.Fatalf("%v in %q", err, out)
		}
		if meta.Kind != strings.ToValidUTF8(gvk.Kind, "\ufffd") || meta.APIVersion == "" {
			t.Fatalf("%s decoded as %+v", gvk, meta)
		}
	})
}

var podType = runtime.TypeMeta{APIVersion: "v1", Kind: "Pod"}

// encode is what a stock client sends.
func encode(t testing.TB, apiVersion, kind string, obj runtime.Object) []byte {
	t.Helper()
	obj.GetObjectKind().SetGroupVersionKind(schema.FromAPIVersionAndKind(apiVersion, kind))
	var out bytes.Buffer
	if err := encoding.NewSerializer(nil, nil).Encode(obj, &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// seal wraps an envelope that stock clients do not write.
func seal(t testing.TB, envelope runtime.Unknown) []byte {
	t.Helper()
	data, err := envelope.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte("k8s\x00"), data...)
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func tree(t *testing.T, data []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	return value
}
