// Package part is a strategy of usual size, and one that fails in every way that Go knows.
package part

import (
	"errors"
	"strconv"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

// Plugin is what the guest registers.
func Plugin() sdk.Plugin {
	return sdk.Plugin{Name: "parts", Version: "1.2.3", Resources: []sdk.Resource{{
		Group: "abi.example", Resource: "parts", Kind: "Part",
		Versions: []sdk.Version{{Name: "v1", Columns: []sdk.Column{{Name: "Size", Type: "string"}}}},
		Strategy: Strategy{},
		Subresources: []sdk.Subresource{
			{Name: "status", Strategy: Broken{}},
			{Name: "reading", Strategy: Reading{}},
			{Name: "order", Strategy: Order{}, Create: &sdk.PostedKind{Version: "v1", Kind: "Order"}},
		},
	}, {
		Group: "abi.example", Resource: "fleetingparts", Kind: "FleetingPart",
		Versions: []sdk.Version{{Name: "v1"}}, Strategy: Fleeting{},
	}}}
}

// Strategy is the healthy one.
type Strategy struct{}

// Default sets the number of replicas.
func (Strategy) Default(_ *sdk.Context, obj *sdk.Object) { obj.SetDefault(1, "spec", "replicas") }

// PrepareForCreate drops the status and labels the part.
func (Strategy) PrepareForCreate(ctx *sdk.Context, obj *sdk.Object) {
	obj.Delete("status")
	obj.Set(ctx.User.Name, "metadata", "labels", "owner")
}

// Validate checks image, replicas and the names of the ports.
func (Strategy) Validate(_ *sdk.Context, obj *sdk.Object) (errs field.ErrorList) {
	spec := field.NewPath("spec")
	if obj.Get("spec", "image").String() == "" {
		errs = append(errs, field.Required(spec.Child("image"), ""))
	}
	if replicas := obj.Get("spec", "replicas").Int(); replicas < 0 {
		errs = append(errs, field.Invalid(spec.Child("replicas"), replicas, "must be greater than or equal to 0"))
	}
	seen := map[string]bool{}
	for i, port := range obj.Get("spec", "ports").Items() {
		name := port.Get("name").String()
		if seen[name] {
			errs = append(errs, field.Duplicate(spec.Child("ports").Index(i).Child("name"), name))
		}
		seen[name] = true
	}
	if policy := obj.Get("spec", "policy").String(); policy != "" && policy != "Always" && policy != "Never" {
		errs = append(errs, field.NotSupported(spec.Child("policy"), policy, []string{"Always", "Never"}))
	}
	return errs
}

// WarningsOnCreate tells of images without a tag.
func (Strategy) WarningsOnCreate(_ *sdk.Context, obj *sdk.Object) []string {
	if obj.Get("spec", "image").String() == "latest" {
		return []string{"spec.image: \"latest\" may be anything – é"}
	}
	return nil
}

// Canonicalize notes the number of ports.
func (Strategy) Canonicalize(_ *sdk.Context, obj *sdk.Object) {
	if n := obj.Get("spec", "ports").Len(); n > 0 {
		obj.Set(strconv.Itoa(n), "metadata", "annotations", "ports")
	}
}

// ConvertToTable has one cell of its own.
func (Strategy) ConvertToTable(_ *sdk.Context, objs []*sdk.Object) (rows [][]sdk.Cell) {
	for _, obj := range objs {
		rows = append(rows, []sdk.Cell{strconv.Itoa(len(obj.Raw()))})
	}
	return rows
}

// Order takes orders for parts.
type Order struct{}

// CreateSubresource refuses what is sold out, and counts the others.
func (Order) CreateSubresource(_ *sdk.Context, parent, body *sdk.Object) (string, error) {
	if body.Get("amount").Int() > 9 {
		return "", sdk.Conflict("sold out")
	}
	parent.Set(body.Get("amount").Int(), "status", "ordered")
	return "ordered", nil
}

// Broken does what spec.do says.
type Broken struct{}

// ValidateUpdate fails, or not.
func (Broken) ValidateUpdate(ctx *sdk.Context, obj, _ *sdk.Object) field.ErrorList {
	switch obj.Get("spec", "do").String() {
	case "panic":
		panic("the part " + obj.Name() + " is broken")
	case "panic with an error":
		panic(errors.New("the part is at fault"))
	case "index":
		_ = obj.Raw()[len(obj.Raw()):][:1]
	case "nil":
		var none *Strategy
		_ = *none
	case "fail":
		ctx.Fail(errors.New("the parts catalogue is closed"))
	case "log":
		ctx.Log(sdk.LogInfo, "looking at "+obj.Name())
	case "write":
		obj.Set(1, "spec", "x")
	case "spin":
		for {
			Spun++
		}
	case "recurse":
		return field.ErrorList{field.Required(field.NewPath(strconv.Itoa(recurse(1))), "")}
	case "hoard":
		for {
			hoard = append(hoard, make([]byte, 1<<20))
		}
	case "wait":
		<-make(chan int)
	case "leave something running":
		go func() {
			for {
				Spun++
			}
		}()
	}
	return nil
}

// Spun counts what endless loops have done.
var Spun int

var hoard [][]byte

// recurse ends when n wraps round, which no stack lives to see.
func recurse(n int) int {
	if n < 0 {
		return 0
	}
	return recurse(n+1) + 1
}

// The hooks that are there.
var (
	_ sdk.Defaulter          = Strategy{}
	_ sdk.CreatePreparer     = Strategy{}
	_ sdk.Validator          = Strategy{}
	_ sdk.CreateWarner       = Strategy{}
	_ sdk.Canonicalizer      = Strategy{}
	_ sdk.TableConvertor     = Strategy{}
	_ sdk.SubresourceCreator = Order{}
	_ sdk.UpdateValidator    = Broken{}
)
