package migration

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/server/controllers"
)

// workers is how many resources are migrated at once, as many as in Kubernetes.
const workers = 5

// Controller works on StorageVersionMigrations. It is a sink of a feed, which tells it of them.
type Controller struct {
	objects controllers.Objects
	storage engine.Storage
	plugins Plugins
	queue   *controllers.Queue
	metrics *metrics
	log     *slog.Logger
	holder  string // who this controller is among those of other servers

	mu   sync.Mutex
	open map[string]schema.GroupResource // the migrations that have not ended, by uid
}

// New returns a controller that has seen nothing. Its leases are kept in storage, its metrics registered.
func New(cluster controllers.Cluster, storage engine.Storage, plugins Plugins, registry prometheus.Registerer, log *slog.Logger) *Controller {
	return &Controller{
		objects: controllers.Objects{Cluster: cluster, User: controllers.User("storage-version-migrator-controller")}, storage: storage,
		plugins: plugins, queue: controllers.NewQueue(), metrics: newMetrics(registry), log: log, holder: rand.Text(),
		open: map[string]schema.GroupResource{},
	}
}

// Run migrates until ctx ends.
func (c *Controller) Run(ctx context.Context) { c.queue.Run(ctx, workers, c.work) }

// Seen takes note of a migration.
func (c *Controller) Seen(kind *controllers.Kind, obj engine.Object, _ int64) {
	if kind.GroupResource != migrations {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if finished(obj) {
		delete(c.open, obj.UID())
		return
	}
	if _, known := c.open[obj.UID()]; !known {
		c.open[obj.UID()] = ResourceOf(obj)
		c.queue.Add(ResourceOf(obj).String())
	}
}

// Gone forgets a migration.
func (c *Controller) Gone(kind *controllers.Kind, obj engine.Object, _ int64) {
	if kind.GroupResource != migrations {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, obj.UID())
}

// Listed forgets the migrations that went while nobody looked.
func (c *Controller) Listed(kind *controllers.Kind, uids map[string]struct{}, _ int64) {
	if kind.GroupResource != migrations {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for uid := range c.open {
		if _, there := uids[uid]; !there {
			delete(c.open, uid)
		}
	}
}

// Dropped is of no interest: migrations are always served.
func (c *Controller) Dropped(*controllers.Kind) {}

// errBehind asks for another look: etcd tells watchers of a change a moment before reads show it.
var errBehind = errors.New("a migration is not as it was seen")

// work does the migrations of one resource, the oldest first, unless another server is at it.
func (c *Controller) work(ctx context.Context, key string) (again time.Duration, err error) {
	if !c.waiting(key) {
		return 0, nil
	}
	lease, err := c.take(ctx, key)
	if err != nil || lease == nil {
		return heldPause, err
	}
	defer lease.release()
	pending, err := c.pending(lease.ctx, key)
	if err != nil {
		return 0, err
	}
	for _, obj := range pending {
		if err := c.migrate(lease.ctx, obj); err != nil {
			if lease.ctx.Err() == nil {
				c.log.Warn("a storage migration is tried again", "migration", obj.Name(), "resource", key, "error", err)
			}
			return 0, err
		}
	}
	if len(pending) == 0 && c.waiting(key) {
		return 0, errBehind
	}
	if c.waiting(key) {
		return time.Second, nil
	}
	return 0, nil
}

// waiting tells whether a migration of the resource is known that has not ended.
func (c *Controller) waiting(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, gr := range c.open {
		if gr.String() == key {
			return true
		}
	}
	return false
}

// pending are the migrations of a resource that have not ended: one that has begun before all others, then the oldest.
func (c *Controller) pending(ctx context.Context, key string) ([]engine.Object, error) {
	store, err := c.objects.Store(migrations)
	if err != nil {
		return nil, err
	}
	info := &engine.RequestInfo{Verb: "list", Group: Group, Resource: Plural, User: c.objects.User, Time: time.Now()}
	list, err := store.List(ctx, engine.ListRequest{Info: info})
	if err != nil {
		return nil, err
	}
	var found []engine.Object
	for _, item := range list.Items {
		if ResourceOf(item.Object).String() == key && !finished(item.Object) {
			found = append(found, item.Object)
		}
	}
	order := func(obj engine.Object) (notRunning int, created string) {
		if Phase(obj) != Running {
			notRunning = 1
		}
		return notRunning, obj.Get("metadata", "creationTimestamp").Str
	}
	slices.SortFunc(found, func(a, b engine.Object) int {
		m, since := order(a)
		n, after := order(b)
		return cmp.Or(cmp.Compare(m, n), cmp.Compare(since, after), cmp.Compare(a.Name(), b.Name()))
	})
	return found, nil
}

var _ controllers.Sink = (*Controller)(nil)
