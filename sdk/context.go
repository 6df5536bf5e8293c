package sdk

import "time"

// Context is the request that a hook runs for. It is the same for all hooks and retries of one request.
type Context struct {
	Verb        string // create, update, patch, delete, get, list, watch
	Group       string
	Version     string // of the objects that the hook gets
	Resource    string
	Subresource string
	Namespace   string
	Name        string // empty for a create with generateName
	User        User
	DryRun      bool
	Time        string // of the request, RFC 3339; the plugin has no other clock

	log    func(level Level, line string)
	reader func(query string) (frame string) // in tests, where there is no server
	err    error
}

// User is who sent the request.
type User struct {
	Name   string
	UID    string
	Groups []string
}

// resource is how messages name what the request is for: "pods/status".
func (c *Context) resource() string {
	if c.Subresource == "" {
		return c.Resource
	}
	return c.Resource + "/" + c.Subresource
}

// Level is the weight of a log line.
type Level uint32

// The levels.
const (
	LogDebug Level = iota
	LogInfo
	LogWarning
	LogError
)

// Now is Time, parsed.
func (c *Context) Now() time.Time {
	t, _ := time.Parse(time.RFC3339, c.Time)
	return t
}

// Log writes one line to the server's log.
func (c *Context) Log(level Level, line string) {
	if c.log != nil {
		c.log(level, line)
		return
	}
	logLine(level, line)
}

// Fail reports that the hook could not do its work, for reasons that are not the client's: the
// request ends with status 500 and err's text. The first Fail of a hook counts.
func (c *Context) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
}
