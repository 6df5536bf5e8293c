package host

import (
	"fmt"
	"runtime"
	"strconv"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Limit is one of the Limits, under the name that operators, errors and metrics have for it.
type Limit uint8

// The limits that an operator may set for a plugin.
const (
	LimitFuelPerHook Limit = iota
	LimitFuelPerByte
	LimitFuelPerRequest
	LimitCallDepth
	LimitMemory
	LimitReplyBytes
	LimitObjectBytes
	LimitFieldErrors
	LimitWarnings
	LimitWarningRunes
	LimitAllWarningRunes
	LimitLogBytes
	LimitLogBytesPerMinute
	LimitInstances
	LimitWaiting
	LimitWait
	LimitFailingTime
	LimitReads
	LimitReadObjects
	LimitReadBytes
	LimitReadTime
	LimitModuleBytes
	LimitCompileTime
	limitCount
)

// unit is how a limit is written.
type unit uint8

const (
	count    unit = iota // 5000
	bytes64              // 64Mi, or a number
	duration             // 10s
)

// limitInfo is what is known of a limit. Top is the cap where the server sets no other.
type limitInfo struct {
	name       string
	unit       unit
	value, top int64
	field      func(*Limits) any
}

// pages is a number of pages of 64 KiB, which operators write in bytes.
type pages uint32

const pageBytes = 64 << 10

var limitInfos = [limitCount]limitInfo{
	LimitFuelPerHook:       {"fuelPerHook", count, 20_000_000, 200_000_000, func(l *Limits) any { return &l.Fuel }},
	LimitFuelPerByte:       {"fuelPerByte", count, 100, 10_000, func(l *Limits) any { return &l.FuelPerByte }},
	LimitFuelPerRequest:    {"fuelPerRequest", count, 100_000_000, 2_000_000_000, func(l *Limits) any { return &l.FuelPerRequest }},
	LimitCallDepth:         {"callDepth", count, 10_000, 50_000, func(l *Limits) any { return &l.CallDepth }},
	LimitMemory:            {"memory", bytes64, 64 << 20, 1 << 30, func(l *Limits) any { return (*pages)(&l.MemoryPages) }},
	LimitReplyBytes:        {"replyBytes", bytes64, 16 << 20, 64 << 20, func(l *Limits) any { return &l.ReplyBytes }},
	LimitObjectBytes:       {"objectBytes", bytes64, 4 << 20, 4 << 20, func(l *Limits) any { return &l.ObjectBytes }},
	LimitFieldErrors:       {"fieldErrors", count, 1000, 1000, func(l *Limits) any { return &l.FieldErrors }},
	LimitWarnings:          {"warnings", count, 64, 64, func(l *Limits) any { return &l.Warnings }},
	LimitWarningRunes:      {"warningRunes", count, 256, 256, func(l *Limits) any { return &l.WarningRunes }},
	LimitAllWarningRunes:   {"allWarningRunes", count, 4096, 4096, func(l *Limits) any { return &l.AllWarningRunes }},
	LimitLogBytes:          {"logBytes", bytes64, 16 << 10, 1 << 20, func(l *Limits) any { return &l.LogBytes }},
	LimitLogBytesPerMinute: {"logBytesPerMinute", bytes64, 4 << 20, 64 << 20, func(l *Limits) any { return &l.LogBytesPerMinute }},
	LimitInstances:         {"instances", count, int64(max(4, 2*runtime.GOMAXPROCS(0))), 256, func(l *Limits) any { return &l.Instances }},
	LimitWaiting:           {"waiting", count, 1000, 10_000, func(l *Limits) any { return &l.Waiting }},
	LimitWait:              {"wait", duration, int64(10 * time.Second), int64(30 * time.Second), func(l *Limits) any { return &l.Wait }},
	LimitFailingTime:       {"failingTime", duration, int64(10 * time.Millisecond), int64(time.Second), func(l *Limits) any { return &l.FailingTime }},
	LimitReads:             {"reads", count, 100, 10_000, func(l *Limits) any { return &l.Reads }},
	LimitReadObjects:       {"readObjects", count, 1000, 100_000, func(l *Limits) any { return &l.ReadObjects }},
	LimitReadBytes:         {"readBytes", bytes64, 4 << 20, 64 << 20, func(l *Limits) any { return &l.ReadBytes }},
	LimitReadTime:          {"readTime", duration, int64(time.Second), int64(10 * time.Second), func(l *Limits) any { return &l.ReadTime }},
	LimitModuleBytes:       {"moduleBytes", bytes64, 64 << 20, 64 << 20, func(l *Limits) any { return &l.ModuleBytes }},
	LimitCompileTime:       {"compileTime", duration, int64(time.Minute), int64(2 * time.Minute), func(l *Limits) any { return &l.LoadTime }},
}

// String is the limit's name.
func (l Limit) String() string { return limitInfos[l].name }

// AllLimits are the limits that an operator may set.
func AllLimits() []Limit {
	all := make([]Limit, limitCount)
	for i := range all {
		all[i] = Limit(i)
	}
	return all
}

// LimitByName finds a limit by its name.
func LimitByName(name string) (Limit, bool) {
	for i := range limitInfos {
		if limitInfos[i].name == name {
			return Limit(i), true
		}
	}
	return 0, false
}

// Parse reads a value as operators write it: a number, a quantity of bytes (64Mi), a duration (10s). It has to be above zero.
func (l Limit) Parse(text string) (value int64, err error) {
	switch limitInfos[l].unit {
	case duration:
		var d time.Duration
		d, err = time.ParseDuration(text)
		value = int64(d)
	case bytes64:
		var q resource.Quantity
		q, err = resource.ParseQuantity(text)
		value = q.Value()
	default:
		value, err = strconv.ParseInt(text, 10, 64)
	}
	least := int64(1)
	if l == LimitMemory {
		least = pageBytes
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("must be %s", l.form())
	case value < least:
		return 0, fmt.Errorf("must be at least %s", l.Format(least))
	}
	return value, nil
}

func (l Limit) form() string {
	switch limitInfos[l].unit {
	case duration:
		return "a duration, such as 10s"
	case bytes64:
		return "a number of bytes, such as 64Mi"
	}
	return "an integer"
}

// Format is a value as operators write it.
func (l Limit) Format(value int64) string {
	switch limitInfos[l].unit {
	case duration:
		return time.Duration(value).String()
	case bytes64:
		return resource.NewQuantity(value, resource.BinarySI).String()
	}
	return strconv.FormatInt(value, 10)
}

// Get is the value of a limit; 0 where it has not been set.
func (l *Limits) Get(limit Limit) int64 {
	switch field := limitInfos[limit].field(l).(type) {
	case *int:
		return int64(*field)
	case *int64:
		return *field
	case *uint32:
		return int64(*field)
	case *pages:
		return int64(*field) * pageBytes
	case *time.Duration:
		return int64(*field)
	}
	return 0
}

// Set changes the value of a limit. It has to be one that Parse returns and that the cap allows.
func (l *Limits) Set(limit Limit, value int64) {
	switch field := limitInfos[limit].field(l).(type) {
	case *int:
		*field = int(value)
	case *int64:
		*field = value
	case *uint32:
		*field = uint32(value)
	case *pages:
		*field = pages(value / pageBytes)
	case *time.Duration:
		*field = time.Duration(value)
	}
}

// LimitError reports a limit that a plugin has exceeded.
type LimitError struct {
	Limit Limit
	Err   error
}

func (e *LimitError) Error() string { return fmt.Sprintf("%v (limit %s)", e.Err, e.Limit) }
func (e *LimitError) Unwrap() error { return e.Err }

func exceeds(limit Limit, err error) error { return &LimitError{limit, err} }

// tally holds one call to the limits and notes which of them it has exceeded.
type tally struct {
	*Limits
	exceeded uint32 // bit 1<<l for limit l
}

func (t *tally) note(limit Limit) { t.exceeded |= 1 << limit }
