package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// ctx is the test's context, which ends with it.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// cleaning is a context for clean-ups, which run when the test's own has ended.
func cleaning() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), patience)
}

// eventually waits until check is content; what says what is waited for.
func eventually(t *testing.T, what string, check func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		return check(), nil
	})
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// namespace makes a namespace named after the test.
func namespace(t *testing.T, s *server) string {
	t.Helper()
	name := strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := s.typed(t).CoreV1().Namespaces().Create(within(t), ns, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return name
}

// contains fails unless text has all parts, in order.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Errorf("%q is not there (after what came before it) in:\n%s", part, text)
			return
		}
		rest = after
	}
}

// equal fails unless got is want.
func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// must fails the test on an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
