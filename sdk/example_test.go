package sdk_test

import (
	"fmt"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
	"github.com/stratagem-dev/stratagem/sdk/sdktest"
)

type strategy struct{}

func (strategy) Default(_ *sdk.Context, obj *sdk.Object) {
	obj.SetDefault(1, "spec", "replicas")
}

func (strategy) Validate(_ *sdk.Context, obj *sdk.Object) (errs field.ErrorList) {
	if obj.Get("spec", "image").String() == "" {
		errs = append(errs, field.Required(field.NewPath("spec", "image"), ""))
	}
	return errs
}

// A strategy has the hooks it needs; sdktest runs them as the server does.
func Example() {
	obj, _ := sdk.ParseObject(`{"kind":"CronTab","spec":{}}`)
	got := sdktest.New(strategy{}).Create(obj)
	fmt.Println(got.Object.Raw())
	fmt.Println(got.Errors)
	// Output:
	// {"kind":"CronTab","spec":{"replicas":1}}
	// spec.image: Required value
}

func ExampleObject() {
	obj, _ := sdk.ParseObject(`{"metadata":{"labels":{"app.kubernetes.io/name":"web"}},"spec":{"containers":[{"name":"a"},{"name":"b"}]}}`)
	fmt.Println(obj.Get("metadata", "labels", "app.kubernetes.io/name"))
	for i, container := range obj.EditEach("spec", "containers") {
		container.Set(8080+i, "port")
	}
	obj.Set("Always", "spec", "restartPolicy")
	obj.Delete("metadata")
	fmt.Println(obj.Raw())
	// Output:
	// web
	// {"spec":{"containers":[{"name":"a","port":8080},{"name":"b","port":8081}],"restartPolicy":"Always"}}
}
