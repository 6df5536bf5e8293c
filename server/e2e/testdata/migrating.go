package main

import (
	"errors"
	"strings"

	"github.com/stratagem-dev/stratagem/sdk"
)

// The tests lay this file over plugins/crontabs/main.go: revisions of a plugin whose resource has the versions VERSIONS, the
// last of which is stored. A crontab of v1beta1 has hostPort, one of v1 has host and port.
func init() {
	names := strings.Fields("VERSIONS")
	var versions []sdk.Version
	for i, name := range names {
		versions = append(versions, sdk.Version{Name: name, Served: true, Storage: i == len(names)-1, Hooks: true})
	}
	sdk.Register(sdk.Plugin{
		Name: "migrating", Version: "1.0.0",
		Resources: []sdk.Resource{{Group: "plugin.migration.test", Resource: "crontabs", Kind: "CronTab", Strategy: moving{}, Versions: versions}},
	})
}

func main() {}

// moving converts.
type moving struct{}

// Convert takes hostPort apart and puts it together.
func (moving) Convert(_ *sdk.Context, obj *sdk.Object, version string) error {
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
