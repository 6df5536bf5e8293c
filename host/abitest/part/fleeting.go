package part

import "github.com/stratagem-dev/stratagem/sdk"

// Fleeting is the strategy of parts that go by themselves.
type Fleeting struct{}

// TTL is what spec.seconds says, a minute more with every update.
func (Fleeting) TTL(_ *sdk.Context, obj, old *sdk.Object) uint32 {
	seconds := uint32(obj.Get("spec", "seconds").Int())
	if old != nil {
		seconds += 60
	}
	return seconds
}

// Decorate shows where the part is; spec.move moves it, which it may not.
func (Fleeting) Decorate(ctx *sdk.Context, obj *sdk.Object) {
	obj.Set("shelf of "+ctx.Namespace, "status", "place")
	if obj.Get("spec", "move").Bool() {
		obj.Set("elsewhere", "metadata", "namespace")
	}
}

// ShouldDeleteDuringUpdate keeps what is still wanted.
func (Fleeting) ShouldDeleteDuringUpdate(_ *sdk.Context, obj, old *sdk.Object) bool {
	return !obj.Get("spec", "wanted").Bool() && old.Name() == obj.Name()
}

var (
	_ sdk.Expirer       = Fleeting{}
	_ sdk.Decorator     = Fleeting{}
	_ sdk.UpdateDeleter = Fleeting{}
)
