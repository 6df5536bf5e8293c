package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

// pluginRead is an entry of a StrategyPlugin's spec.reads: other objects that the plugin's hooks may read.
type pluginRead struct {
	Group     string   `json:"group"`     // "" is the core group
	Resources []string `json:"resources"` // plural names; there is no word for all
	// Namespaces are where; "*" is everywhere, and with it goes a list of all namespaces. Where there are none it is the namespace of
	// the request that a hook runs for. For resources without namespaces it does not count.
	Namespaces []string `json:"namespaces,omitempty"`
}

// allNamespaces is the word for all of them.
const allNamespaces = "*"

var readsPath = field.NewPath("spec", "reads")

// checkNewReads finds what is wrong with the reads of a StrategyPlugin.
func checkNewReads(obj engine.Object) field.ErrorList {
	var plugin strategyPlugin
	if err := json.Unmarshal(obj, &plugin); err != nil {
		return field.ErrorList{field.Invalid(readsPath, "", err.Error())}
	}
	return checkReads(plugin.Spec.Reads)
}

// checkReads finds what is wrong with what a plugin is to read.
func checkReads(reads []pluginRead) (errs field.ErrorList) {
	for i := range reads {
		read, at := &reads[i], readsPath.Index(i)
		if read.Group != "" {
			if msgs := validation.IsDNS1123Subdomain(read.Group); len(msgs) > 0 {
				errs = append(errs, field.Invalid(at.Child("group"), read.Group, strings.Join(msgs, ", ")))
			}
		}
		if len(read.Resources) == 0 {
			errs = append(errs, field.Required(at.Child("resources"), "name what may be read"))
		}
		for j, name := range read.Resources {
			if msgs := validation.IsDNS1035Label(name); len(msgs) > 0 {
				errs = append(errs, field.Invalid(at.Child("resources").Index(j), name, strings.Join(msgs, ", ")))
			}
		}
		for j, name := range read.Namespaces {
			here := at.Child("namespaces").Index(j)
			if name == allNamespaces {
				if len(read.Namespaces) > 1 {
					errs = append(errs, field.Invalid(here, name, "stands alone"))
				}
			} else if msgs := validation.IsDNS1123Label(name); len(msgs) > 0 {
				errs = append(errs, field.Invalid(here, name, strings.Join(msgs, ", ")))
			}
		}
	}
	return errs
}

// grants tells whether a query may be answered for a request. A resource without namespaces is granted by its name alone.
func (r *pluginRead) grants(resource *engine.Resource, request *engine.RequestInfo, namespace string) bool {
	if r.Group != resource.Group || !slices.Contains(r.Resources, resource.Plural) {
		return false
	}
	switch {
	case !resource.Namespaced || slices.Contains(r.Namespaces, allNamespaces):
		return true
	case len(r.Namespaces) == 0:
		return namespace != "" && namespace == request.Namespace
	}
	return slices.Contains(r.Namespaces, namespace)
}

// pluginReader is host.Reader for one plugin: it reads what the StrategyPlugin grants at the moment, from what is held in memory, as it
// is stored, and runs no hook of anybody for it.
type pluginReader struct {
	server  *Server
	name    string
	storage engine.Storage // of StrategyPlugins
	key     string         // of the plugin's

	mu       sync.Mutex
	revision int64 // of the StrategyPlugin that granted says
	granted  []pluginRead
}

// reader makes the reader of a plugin.
func (p *Plugins) reader(name string) host.Reader {
	return &pluginReader{server: p.server, name: name, storage: p.storage(strings.TrimSuffix(pluginsRoot, "/")), key: pluginsRoot + name}
}

// Read answers one query.
func (r *pluginReader) Read(ctx context.Context, request *engine.RequestInfo, query host.Query) host.Answer {
	answer, err := r.read(ctx, request, query)
	if err == nil {
		answer.Code = http.StatusOK
		return answer
	}
	if ctx.Err() != nil {
		err = &timeoutError{err}
	}
	status := statusOf(err, nil)
	return host.Answer{Code: int(status.Code), Reason: string(status.Reason), Message: status.Message}
}

func (r *pluginReader) read(ctx context.Context, request *engine.RequestInfo, query host.Query) (answer host.Answer, err error) {
	reads, err := r.reads(ctx)
	if err != nil {
		return answer, err
	}
	store := r.server.view.Load().Store(query.Group, query.Resource)
	if store == nil || !grantedBy(reads, store.Resource, request, query.Namespace) {
		return answer, r.forbidden(query)
	}
	info := &engine.RequestInfo{Verb: "get", Group: query.Group, Resource: query.Resource, Namespace: query.Namespace, Name: query.Name, User: request.User, Time: request.Time}
	switch {
	case query.Namespace != "" && !store.Resource.Namespaced:
		return answer, badRequest("%s have no namespace", resourceName(query.Group, query.Resource))
	case query.Name == "":
		info.Verb = "list"
		return list(ctx, store, info, query)
	case query.Namespace == "" && store.Resource.Namespaced:
		return answer, badRequest("a namespace is required to get one of %s", resourceName(query.Group, query.Resource))
	}
	obj, err := store.Get(ctx, engine.GetRequest{Info: info})
	if err != nil {
		return answer, err
	}
	return host.Answer{ResourceVersion: obj.ResourceVersion(), Objects: []engine.Object{obj}}, nil
}

// list answers a query for many objects.
func list(ctx context.Context, store *engine.Store, info *engine.RequestInfo, query host.Query) (answer host.Answer, err error) {
	selector, err := store.Resource.ParseSelector(query.LabelSelector, "")
	if err != nil {
		return answer, err
	}
	list, err := store.List(ctx, engine.ListRequest{Info: info, Selector: selector, Limit: int64(query.Limit)})
	if err != nil {
		return answer, err
	}
	answer.ResourceVersion, answer.More = strconv.FormatInt(list.Revision, 10), list.Continue != ""
	for _, item := range list.Items {
		answer.Objects = append(answer.Objects, item.Served())
	}
	return answer, nil
}

func grantedBy(reads []pluginRead, resource *engine.Resource, request *engine.RequestInfo, namespace string) bool {
	return slices.ContainsFunc(reads, func(r pluginRead) bool { return r.grants(resource, request, namespace) })
}

// forbidden says the same of what is not granted and of what is not there.
func (r *pluginReader) forbidden(query host.Query) error {
	where := "in namespace " + strconv.Quote(query.Namespace)
	if query.Namespace == "" {
		where = "at the cluster scope"
	}
	return plain(http.StatusForbidden, metav1.StatusReasonForbidden,
		fmt.Errorf("plugin %q may not read %s %s: spec.reads of its StrategyPlugin does not grant it", r.name, resourceName(query.Group, query.Resource), where))
}

// reads are what is granted now. They are made out once for each change of the StrategyPlugin.
func (r *pluginReader) reads(ctx context.Context) ([]pluginRead, error) {
	item, known := engine.Item{}, false
	if peeker, ok := r.storage.(engine.Peeker); ok {
		item, known = peeker.Peek(r.key)
	}
	if !known {
		var err error
		var missing *engine.KeyNotFoundError
		if item, err = r.storage.Get(ctx, r.key); errors.As(err, &missing) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if item.Revision != r.revision {
		var plugin strategyPlugin
		if err := json.Unmarshal(item.Data, &plugin); err != nil {
			return nil, fmt.Errorf("StrategyPlugin %s: %w", r.name, err)
		}
		r.revision, r.granted = item.Revision, plugin.Spec.Reads
	}
	return r.granted, nil
}
