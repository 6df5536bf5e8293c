package negotiate

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

var tableV1 = schema.GroupVersionKind{Group: "meta.k8s.io", Version: "v1", Kind: "Table"}

func TestAccept(t *testing.T) {
	kubectlGet := "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
	metadata := "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
	tests := []struct {
		name, header string
		endpoint     Endpoint
		want         Answer
	}{
		{"no header", "", Objects, Answer{MediaType: JSON}},
		{"plain", "application/json", Objects, Answer{MediaType: JSON}},
		{"curl", "*/*", Objects, Answer{MediaType: JSON}},
		{"any application type", "application/*", Objects, Answer{MediaType: JSON}},
		{"yaml", "application/yaml", Objects, Answer{MediaType: YAML}},
		{"quality decides", "application/yaml;q=0.5,application/json;q=0.9", Objects, Answer{MediaType: JSON}},
		{"quality decides against the order", "application/json;q=0.2, application/yaml;q=0.9", Objects, Answer{MediaType: YAML}},
		{"typed client", "application/vnd.kubernetes.protobuf, */*", Objects, Answer{MediaType: JSON}},
		{"kubectl get", kubectlGet, Objects, Answer{MediaType: JSON, As: tableV1}},
		{"kubectl get --watch", kubectlGet, Watch, Answer{MediaType: JSON, As: tableV1}},
		{"table where there is none", kubectlGet, Plain, Answer{MediaType: JSON}},
		{"table as YAML", "application/yaml;as=Table;v=v1;g=meta.k8s.io", Objects, Answer{MediaType: YAML, As: tableV1}},
		{"metadata client", metadata, Objects, Answer{MediaType: JSON, As: tableV1.GroupVersion().WithKind("PartialObjectMetadataList")}},
		{"unknown parameter", "application/json;colour=red", Objects, Answer{MediaType: JSON}},
		{"pretty", "application/json;pretty=1", Objects, Answer{MediaType: JSON, Pretty: true}},
		{"watch stream", "application/json;stream=watch", Watch, Answer{MediaType: JSON}},
		{"browser", "text/html,application/xhtml+xml,*/*;q=0.8", Objects, Answer{MediaType: JSON}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.endpoint.Accept(test.header)
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("%q: got %+v, want %+v", test.header, got, test.want)
			}
		})
	}
}

func TestAcceptRefuses(t *testing.T) {
	const all, stream = "application/json, application/yaml", "application/json;stream=watch"
	tests := []struct {
		name, header, accepted string
		endpoint               Endpoint
	}{
		{"protobuf only", "application/vnd.kubernetes.protobuf", all, Objects},
		{"unknown kind", "application/json;as=Chart;v=v1;g=meta.k8s.io", all, Objects},
		{"unknown version", "application/json;as=Table;v=v2;g=meta.k8s.io", all, Objects},
		{"half a kind", "application/json;as=Table", all, Objects},
		{"table where there is none", "application/json;as=Table;v=v1;g=meta.k8s.io", all, Plain},
		{"other server version", "application/json;sv=v9", all, Objects},
		{"YAML watch", "application/yaml", stream, Watch},
		{"other stream", "application/json;stream=tail", stream, Watch},
		{"nothing but separators", ";;,,//,=", all, Objects},
		{"half a media type", "application", all, Objects},
		{"binary", "\x00\xff/\xfe;=\x00", all, Objects},
		{"many clauses", strings.Repeat("text/html,", 20000), all, Objects},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer, err := test.endpoint.Accept(test.header)
			var refused *NotAcceptableError
			if !errors.As(err, &refused) {
				t.Fatalf("got %+v and error %v", answer, err)
			}
			if want := "only the following media types are accepted: " + test.accepted; err.Error() != want {
				t.Errorf("got %q, want %q", err, want)
			}
		})
	}
}
