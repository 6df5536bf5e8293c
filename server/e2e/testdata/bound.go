package main

import (
	"errors"
	"strings"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

// The tests lay this file over plugins/crontabs/main.go: a plugin that is bound to a definition's resource, and converts
// as the webhook of the tests does.
func init() {
	sdk.Register(sdk.Plugin{
		Name: "bound", Version: "1.0.0",
		Resources: []sdk.Resource{{
			Group: "bound.test", Resource: "crontabs", Kind: "CronTab", Bind: true, Strategy: binder{},
			Versions:     []sdk.Version{{Name: "v1beta1", Served: true, Storage: true, Hooks: true}, {Name: "v1", Served: true, Hooks: true}},
			Subresources: []sdk.Subresource{{Name: "status", Strategy: boundStatus{}}},
		}},
	})
}

func main() {}

// binder marks what it prepares, refuses port 0, and converts.
type binder struct{}

// PrepareForCreate leaves a mark.
func (binder) PrepareForCreate(_ *sdk.Context, obj *sdk.Object) {
	obj.Set("binder", "metadata", "annotations", "prepared-by")
}

// Validate refuses the port 0.
func (binder) Validate(_ *sdk.Context, obj *sdk.Object) field.ErrorList {
	if obj.Get("port").String() == "0" {
		return field.ErrorList{field.Invalid(field.NewPath("port"), "0", "is no port")}
	}
	return nil
}

// Convert takes hostPort apart and puts it together.
func (binder) Convert(_ *sdk.Context, obj *sdk.Object, version string) error {
	if strings.HasSuffix(version, "/v1beta1") {
		obj.Set(obj.Get("host").String()+":"+obj.Get("port").String(), "hostPort")
		obj.Delete("host")
		obj.Delete("port")
		return nil
	}
	host, port, ok := strings.Cut(obj.Get("hostPort").String(), ":")
	if !ok {
		return errors.New("hostPort could not be parsed into a separate host and port")
	}
	obj.Set(host, "host")
	obj.Set(port, "port")
	obj.Delete("hostPort")
	return nil
}

// boundStatus refuses one phase.
type boundStatus struct{}

// ValidateUpdate refuses the phase Lost.
func (boundStatus) ValidateUpdate(_ *sdk.Context, obj, _ *sdk.Object) field.ErrorList {
	if obj.Get("status", "phase").String() == "Lost" {
		return field.ErrorList{field.Forbidden(field.NewPath("status", "phase"), "nothing is lost")}
	}
	return nil
}
