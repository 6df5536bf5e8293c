// Command guest is the plugin that the tests build.
package main

import (
	"github.com/stratagem-dev/stratagem/host/abitest/part"
	"github.com/stratagem-dev/stratagem/sdk"
)

func init() { sdk.Register(part.Plugin()) }

func main() {}
