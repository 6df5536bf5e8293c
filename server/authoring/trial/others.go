package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/stratagem-dev/stratagem/engine"
	"github.com/stratagem-dev/stratagem/host"
)

// Others are the objects that the module's hooks may read beside that of the request, by the name of their resource: "configmaps",
// "deployments.apps". What has no name here has not been granted.
type Others map[string][]engine.Object

// parseOthers reads them as they stand in a case.
func parseOthers(raw map[string][]json.RawMessage) (Others, error) {
	others := Others{}
	for name, objects := range raw {
		others[name] = []engine.Object{}
		for i, text := range objects {
			obj, err := object(fmt.Sprintf("others.%s[%d]", name, i), text)
			if err != nil {
				return nil, err
			}
			others[name] = append(others[name], obj)
		}
	}
	return others, nil
}

// Read answers a query as a server does.
func (o Others) Read(_ context.Context, _ *engine.RequestInfo, query host.Query) host.Answer {
	name := query.Resource
	if query.Group != "" {
		name += "." + query.Group
	}
	objects, granted := o[name]
	if !granted {
		return host.Answer{Code: http.StatusForbidden, Reason: "Forbidden", Message: "the case has no others of " + name}
	}
	if query.Name != "" {
		for _, obj := range objects {
			if obj.Name() == query.Name && obj.Namespace() == query.Namespace {
				return host.Answer{Code: http.StatusOK, Objects: []engine.Object{obj}}
			}
		}
		return host.Answer{Code: http.StatusNotFound, Reason: "NotFound", Message: name + " " + strconv.Quote(query.Name) + " not found"}
	}
	selector, err := new(engine.Resource).ParseSelector(query.LabelSelector, "")
	if err != nil {
		return host.Answer{Code: http.StatusBadRequest, Reason: "BadRequest", Message: err.Error()}
	}
	answer := host.Answer{Code: http.StatusOK}
	for _, obj := range objects {
		if query.Namespace != "" && obj.Namespace() != query.Namespace || !selector.Matches(obj) {
			continue
		}
		if answer.More = query.Limit > 0 && len(answer.Objects) == query.Limit; answer.More {
			break
		}
		answer.Objects = append(answer.Objects, obj)
	}
	return answer
}
