package protobuf

import (
	"bytes"
	"errors"
	"fmt"
	"runtime/metrics"
	"testing"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestMemoryIsBounded sends messages of 3 MiB that are made to become gigabytes: each array element
// is two bytes on the wire.
func TestMemoryIsBounded(t *testing.T) {
	container := []byte{0x12, 0}                           // PodSpec.containers
	port := []byte{0x12, 2, 0x32, 0}                       // PodSpec.containers[*].ports
	upper := []byte{0x92, 0x80, 0x80, 0x80, 0x80, 0x01, 0} // field 2^32·16 + 2, which the decoder takes for field 2
	for name, data := range map[string][]byte{
		"items":      hostile("v1", "PodList", []byte{0x12, 0}, 3<<20),
		"containers": hostile("v1", "Pod", field(2, bytes.Repeat(container, 3<<19)), 0),
		"ports":      hostile("v1", "Pod", field(2, bytes.Repeat(port, 3<<18)), 0),
		"upper bits": hostile("v1", "PodList", upper, 3<<20),
	} {
		before := allocated()
		_, _, err := Decode(data)
		if !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v, want ErrTooLarge", name, err)
		}
		if used := allocated() - before; used > 64<<20 {
			t.Errorf("%s: %d bytes were allocated", name, used)
		}
	}
}

// TestLargeObjectsAreAffordable has the objects that are widest in memory for their size.
func TestLargeObjectsAreAffordable(t *testing.T) {
	pod := &corev1.Pod{}
	for i := range 1000 {
		name := fmt.Sprint("v", i)
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}})
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Operator: "Exists"})
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: name, Args: []string{"a", "b"}, Ports: []corev1.ContainerPort{{ContainerPort: 80}}})
	}
	slice := &discoveryv1.EndpointSlice{}
	ready := true
	for range 1000 {
		slice.Endpoints = append(slice.Endpoints, discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}, Conditions: discoveryv1.EndpointConditions{Ready: &ready}})
	}
	config := &corev1.ConfigMap{Data: map[string]string{"large": string(make([]byte, 1<<20))}, BinaryData: map[string][]byte{"large": make([]byte, 1<<20)}}
	for i := range 10000 {
		metav1.SetMetaDataLabel(&config.ObjectMeta, fmt.Sprint(i), "")
	}
	for kind, obj := range map[string]runtime.Object{"v1/Pod": pod, "discovery.k8s.io/v1/EndpointSlice": slice, "v1/ConfigMap": config} {
		at := len(kind) - 1
		for kind[at] != '/' {
			at--
		}
		if _, _, err := Decode(encode(t, kind[:at], kind[at+1:], obj)); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// hostile is an envelope around one message, repeated until it has size bytes.
func hostile(apiVersion, kind string, message []byte, size int) []byte {
	raw := bytes.Repeat(message, max(1, size/len(message)))
	envelope := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: raw}
	data, err := envelope.Marshal()
	if err != nil {
		panic(err)
	}
	return append([]byte("k8s\x00"), data...)
}

// field is a length-delimited protobuf field.
func field(number byte, payload []byte) []byte {
	out := []byte{number<<3 | wireBytes}
	for n := len(payload); ; n >>= 7 {
		if n < 0x80 {
			return append(append(out, byte(n)), payload...)
		}
		out = append(out, byte(n)|0x80)
	}
}

func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
