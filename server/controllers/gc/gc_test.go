package gc_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers"
	"github.com/stratagem-dev/stratagem/server/controllers/controllertest"
	"github.com/stratagem-dev/stratagem/server/controllers/gc"
)

type cluster = controllertest.Cluster

var (
	owners  = controllertest.Kind("Owner", "owners", true)
	parts   = controllertest.Kind("Part", "parts", true)
	globals = controllertest.Kind("Global", "globals", false)
)

func owner(name string) controllertest.Object {
	return controllertest.Object{Resource: "owners", Namespace: "ns", Name: name}
}

func part(name string) controllertest.Object {
	return controllertest.Object{Resource: "parts", Namespace: "ns", Name: name}
}

func global(name string) controllertest.Object {
	return controllertest.Object{Resource: "globals", Name: name}
}

// collect runs a collector until stop is called.
func collect(c *cluster) (stop func()) {
	ctx, cancel := context.WithCancel(c.Ctx)
	collector := gc.New(c, slog.New(slog.DiscardHandler))
	feed := controllers.NewFeed(c, slog.New(slog.DiscardHandler), collector)
	feed.Start(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		collector.Run(ctx, feed)
	}()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			<-done
			feed.Wait()
		})
	}
	c.Cleanup(stop)
	return stop
}

// ref is an ownerReference to an object of a kind; it blocks.
func ref(kind string, obj engine.Object) string {
	return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":%q,"name":%q,"uid":%q,"blockOwnerDeletion":true}`, kind, obj.Name(), obj.UID())
}

func loose(ref string) string { return strings.Replace(ref, "true", "false", 1) }

// owned is the metadata of an object with these references.
func owned(refs ...string) string { return `"ownerReferences":[` + strings.Join(refs, ",") + `]` }

const stuck = `"finalizers":["example.com/f"]`

// unstick takes all finalizers off.
func unstick(c *cluster, o controllertest.Object) { c.Patch(o, `{"metadata":{"finalizers":null}}`) }

// settle waits until a collector has come so far that it deals with objects that are made now.
func settle(c *cluster) {
	c.Helper()
	for i := range 3 {
		probe := part(fmt.Sprintf("probe%d", i))
		c.Create(probe, owned(`{"apiVersion":"example.com/v1","kind":"Owner","name":"none","uid":"none"}`))
		c.Gone(probe)
	}
}

func refsOf(c *cluster, o controllertest.Object) int {
	return len(gjson.GetBytes(c.Get(o), "metadata.ownerReferences").Array())
}

func TestBackground(t *testing.T) {
	c := controllertest.New(t, owners, parts, globals)
	collect(c)
	a, b := c.Create(owner("a")), c.Create(owner("b"))
	c.Create(part("one"), owned(ref("Owner", a)))
	c.Create(part("two"), owned(ref("Owner", a), ref("Owner", b)))
	grandchild := c.Create(part("parent"), owned(ref("Owner", a)))
	c.Create(part("child"), owned(ref("Part", grandchild)))
	settle(c)
	c.There(part("one"), part("two"), part("child"))
	c.Delete(owner("a"), metav1.DeletePropagationBackground)
	c.Gone(part("one"), part("parent"), part("child"))
	c.Until("two forgets a", func() bool { return refsOf(c, part("two")) == 1 })
	c.Delete(owner("b"), metav1.DeletePropagationBackground)
	c.Gone(part("two"))
}

func TestReferencesThatAreWrong(t *testing.T) {
	c := controllertest.New(t, owners, parts, globals)
	collect(c)
	a, g := c.Create(owner("a")), c.Create(global("g"))
	elsewhere := controllertest.Object{Resource: "parts", Namespace: "other", Name: "elsewhere"}
	good := ref("Owner", a)
	c.Create(part("absent"), owned(`{"apiVersion":"example.com/v1","kind":"Owner","name":"none","uid":"u"}`))
	c.Create(part("other-uid"), owned(strings.Replace(good, a.UID(), "other", 1)))
	c.Create(part("other-name"), owned(strings.Replace(good, `"name":"a"`, `"name":"b"`, 1)))
	c.Create(part("other-kind"), owned(strings.Replace(good, `"Owner"`, `"Global"`, 1)))
	c.Create(elsewhere, owned(good))
	c.Gone(part("absent"), part("other-uid"), part("other-name"), part("other-kind"), elsewhere)

	c.Create(part("good"), owned(good))
	c.Create(part("of-global"), owned(ref("Global", g)))
	c.Create(part("one-of-two"), owned(good, `{"apiVersion":"example.com/v1","kind":"Owner","name":"none","uid":"u"}`))
	c.Create(part("unknown-kind"), owned(`{"apiVersion":"example.com/v1","kind":"Unknown","name":"x","uid":"u"}`))
	c.Create(part("unknown-version"), owned(strings.Replace(`{"apiVersion":"example.com/v1","kind":"Owner","name":"none","uid":"u"}`, "v1", "v2", 1)))
	c.Create(part("malformed"), owned(`{"apiVersion":"v1","kind":"Owner","name":"none","uid":"u"}`))
	c.Create(global("of-namespaced"), owned(good))
	c.Until("one-of-two has one owner", func() bool { return refsOf(c, part("one-of-two")) == 1 })
	settle(c)
	c.There(part("good"), part("of-global"), part("one-of-two"), part("unknown-kind"), part("unknown-version"), part("malformed"), global("of-namespaced"))
}

func TestForeground(t *testing.T) {
	c := controllertest.New(t, owners, parts, globals)
	collect(c)
	a, b := c.Create(owner("a")), c.Create(owner("b"))
	held := c.Create(part("held"), owned(ref("Owner", a)))
	c.Create(part("grandchild"), owned(ref("Part", held)), stuck)
	c.Create(part("shared"), owned(ref("Owner", a), ref("Owner", b)))
	c.Create(part("loose"), owned(loose(ref("Owner", a))), stuck)
	c.Delete(owner("a"), metav1.DeletePropagationForeground)
	c.Until("the grandchild is being deleted", func() bool { return c.Get(part("grandchild")).Deleting() })
	c.Until("the shared part forgets a", func() bool { return refsOf(c, part("shared")) == 1 })
	settle(c)
	c.There(owner("a"), part("held"), part("grandchild"))
	unstick(c, part("grandchild"))
	c.Gone(part("grandchild"), part("held"), owner("a"))
	// What does not block is deleted too, and not waited for.
	if !c.Get(part("loose")).Deleting() {
		t.Error("the loose part is not being deleted")
	}
	c.There(part("shared"), owner("b"))
}

func TestForegroundOfAnOwnerWithoutDependents(t *testing.T) {
	c := controllertest.New(t, owners, parts)
	collect(c)
	c.Create(owner("a"))
	c.Delete(owner("a"), metav1.DeletePropagationForeground)
	c.Gone(owner("a"))
}

func TestOrphan(t *testing.T) {
	c := controllertest.New(t, owners, parts, globals)
	collect(c)
	a, b := c.Create(owner("a")), c.Create(owner("b"))
	for i := range 30 {
		c.Create(part(fmt.Sprintf("p%d", i)), owned(ref("Owner", a)))
	}
	c.Create(part("shared"), owned(ref("Owner", a), ref("Owner", b)))
	c.Delete(owner("a"), metav1.DeletePropagationOrphan)
	c.Gone(owner("a"))
	settle(c)
	for i := range 30 {
		if o := part(fmt.Sprintf("p%d", i)); c.Get(o) == nil || refsOf(c, o) != 0 {
			t.Errorf("%v: %s", o, c.Get(o))
		}
	}
	if refsOf(c, part("shared")) != 1 {
		t.Errorf("%s", c.Get(part("shared")))
	}
}

// TestOrphansAreNeverLost: whoever asks for orphans right after making them keeps them all, however far behind the
// collector is.
func TestOrphansAreNeverLost(t *testing.T) {
	c := controllertest.New(t, owners, parts)
	collect(c)
	for i := range 40 {
		a := c.Create(owner(fmt.Sprintf("a%d", i)))
		c.Create(part(fmt.Sprintf("p%d", i)), owned(ref("Owner", a)))
		c.Delete(owner(fmt.Sprintf("a%d", i)), metav1.DeletePropagationOrphan)
	}
	for i := range 40 {
		c.Gone(owner(fmt.Sprintf("a%d", i)))
		c.There(part(fmt.Sprintf("p%d", i)))
	}
}

func TestCycles(t *testing.T) {
	for _, policy := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground} {
		t.Run(string(policy), func(t *testing.T) {
			c := controllertest.New(t, owners, parts)
			collect(c)
			// a owns x, x owns y, y owns a; and s owns itself.
			a := c.Create(owner("a"))
			x := c.Create(part("x"), owned(ref("Owner", a)))
			y := c.Create(part("y"), owned(ref("Part", x)))
			c.Patch(owner("a"), `{"metadata":{`+owned(ref("Part", y))+`}}`)
			s := c.Create(owner("s"))
			c.Patch(owner("s"), `{"metadata":{`+owned(ref("Owner", s))+`}}`)
			settle(c)
			c.There(owner("a"), part("x"), part("y"), owner("s"))
			c.Delete(owner("a"), policy)
			c.Delete(owner("s"), policy)
			c.Gone(owner("a"), part("x"), part("y"), owner("s"))
		})
	}
}

// TestAllOfACycleAtOnce: objects that block each other, all being deleted in the foreground, give way.
func TestAllOfACycleAtOnce(t *testing.T) {
	c := controllertest.New(t, owners, parts)
	a := c.Create(owner("a"))
	b := c.Create(owner("b"), owned(ref("Owner", a)))
	c.Patch(owner("a"), `{"metadata":{`+owned(ref("Owner", b))+`}}`)
	c.Delete(owner("a"), metav1.DeletePropagationForeground)
	c.Delete(owner("b"), metav1.DeletePropagationForeground)
	collect(c)
	c.Gone(owner("a"), owner("b"))
}

func TestRestart(t *testing.T) {
	c := controllertest.New(t, owners, parts)
	stop := collect(c)
	all := map[metav1.DeletionPropagation]engine.Object{}
	for _, policy := range []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan} {
		name := strings.ToLower(string(policy))
		all[policy] = c.Create(owner(name))
		c.Create(part(name), owned(ref("Owner", all[policy])))
	}
	settle(c)
	stop()
	for policy, obj := range all {
		c.Delete(owner(obj.Name()), policy)
	}
	c.There(part("background"), part("foreground"), part("orphan"))
	collect(c)
	c.Gone(part("background"), part("foreground"), owner("foreground"), owner("orphan"))
	if refsOf(c, part("orphan")) != 0 {
		t.Errorf("%s", c.Get(part("orphan")))
	}
}

func TestSeveralServers(t *testing.T) {
	c := controllertest.New(t, owners, parts)
	collect(c)
	collect(c.Beside(owners, parts))
	collect(c.Beside(owners, parts))
	policies := []metav1.DeletionPropagation{metav1.DeletePropagationBackground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan}
	for i := range 30 {
		name := fmt.Sprintf("a%d", i)
		a := c.Create(owner(name))
		for j := range 3 {
			c.Create(part(fmt.Sprintf("%s-%d", name, j)), owned(ref("Owner", a)))
		}
		c.Delete(owner(name), policies[i%3])
	}
	for i := range 30 {
		name := fmt.Sprintf("a%d", i)
		c.Gone(owner(name))
		for j := range 3 {
			o := part(fmt.Sprintf("%s-%d", name, j))
			if policies[i%3] != metav1.DeletePropagationOrphan {
				c.Gone(o)
			} else if c.Get(o) == nil || refsOf(c, o) != 0 {
				t.Errorf("%v: %s", o, c.Get(o))
			}
		}
	}
}

func TestResourcesThatComeAndGo(t *testing.T) {
	c := controllertest.New(t, owners, parts)
	collect(c)
	a := c.Create(owner("a"))
	c.Create(part("kept"), owned(ref("Owner", a)))
	settle(c)
	// Owners that nobody serves are not taken to be gone.
	c.Serve(parts)
	c.Patch(part("kept"), `{"metadata":{"labels":{"x":"1"}}}`)
	c.Serve(owners, parts, globals)
	settle(c)
	c.There(part("kept"), owner("a"))
	g := c.Create(global("g"))
	c.Create(part("new"), owned(ref("Global", g)))
	c.Delete(global("g"), "")
	c.Gone(part("new"))
	c.Delete(owner("a"), "")
	c.Gone(part("kept"))
}

// TestNothingIsLostWhileNotEverythingIsServed: an owner waits while a server cannot serve all that is active.
func TestNothingIsLostWhileNotEverythingIsServed(t *testing.T) {
	c := controllertest.New(t, owners, parts)
	collect(c)
	settle(c)
	a := c.Create(owner("a"))
	c.Break(errors.New("a plugin cannot be loaded"))
	c.Create(part("p"), owned(ref("Owner", a)))
	c.Delete(owner("a"), metav1.DeletePropagationOrphan)
	settle(c)
	c.There(owner("a"))
	c.Break(nil)
	c.Gone(owner("a"))
	c.There(part("p"))
}
