package command

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// eventTTL is the value of --event-ttl: how long events live, nil where the operator does not say.
type eventTTL struct{ seconds *int64 }

// maxEventTTL is the longest that etcd grants, in seconds.
const maxEventTTL = 9_000_000_000

// Set reads a duration of whole seconds; 0 is for ever.
func (t *eventTTL) Set(text string) error {
	duration, err := time.ParseDuration(text)
	if err != nil {
		return err
	}
	seconds := int64(duration / time.Second)
	if duration < 0 || duration%time.Second != 0 || seconds > maxEventTTL {
		return fmt.Errorf("must be a number of seconds between 0 (for ever) and %d", int64(maxEventTTL))
	}
	t.seconds = &seconds
	return nil
}

// String is the duration, empty where none is set.
func (t *eventTTL) String() string {
	if t.seconds == nil {
		return ""
	}
	return (time.Duration(*t.seconds) * time.Second).String()
}

// Type is what the help calls the value.
func (t *eventTTL) Type() string { return "duration" }

// byResource is the time to live of the resources that show events.
func (t *eventTTL) byResource() map[schema.GroupResource]int64 {
	if t.seconds == nil {
		return nil
	}
	return map[schema.GroupResource]int64{{Resource: "events"}: *t.seconds, {Group: "events.k8s.io", Resource: "events"}: *t.seconds}
}
