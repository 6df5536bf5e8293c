package host

import "time"

// Limits bound what one plugin may use. A field that is zero has the default of DefaultLimits.
type Limits struct {
	// ModuleBytes is the size of the .wasm file.
	ModuleBytes int
	// LoadTime is what compiling the module and its schemas may take.
	LoadTime time.Duration
	// Fuel is the budget of one call of the guest, about the number of instructions. FuelPerByte is added for every
	// byte of the request frame, since large objects are more work.
	Fuel, FuelPerByte int64
	// FuelPerRequest is the budget of all calls that one request makes, those of retries included; FuelPerByte is added
	// likewise. Lists and watches are not held to it: they bring every call the items that it works on.
	FuelPerRequest int64
	// InitFuel is the budget for starting an instance and for describe, each: 100 000 000.
	InitFuel int64
	// CallDepth is how deep functions may call each other.
	CallDepth int
	// MemoryPages is the linear memory of one instance, in pages of 64 KiB.
	MemoryPages uint32
	// ReplyBytes is the size of a reply frame. ObjectBytes is the size of one object in it; the storage takes 4 MiB.
	ReplyBytes, ObjectBytes uint32
	// DescribeBytes is the size of the description, and of the custom section with the schemas: 4 MiB.
	DescribeBytes uint32
	// LogBytes is what one call may log; LogBytesPerMinute what all calls may log in a minute. What is beyond is
	// dropped and counted.
	LogBytes, LogBytesPerMinute int
	// Warnings is how many warnings one call may give; WarningRunes how long each may be; AllWarningRunes how
	// long they may be together. What is beyond is cut.
	Warnings, WarningRunes, AllWarningRunes int
	// FieldErrors is how many field errors one call may give. What is beyond is cut.
	FieldErrors int
	// Instances is how many instances run at once.
	Instances int
	// Waiting is how many calls may wait for an instance. The next is refused: 429.
	Waiting int
	// Wait is how long a call waits for an instance.
	Wait time.Duration
	// FailingTime is what calls that trap, run out of their budget or break the ABI may take of every second. Beyond it
	// calls are refused, 429, until enough time has passed. Ten seconds' worth can be saved up.
	FailingTime time.Duration
	// Reads is how often one call may read other objects, ReadObjects how many of them and ReadBytes how much of them,
	// ReadTime how long its reads may take together.
	Reads, ReadObjects, ReadBytes int64
	ReadTime                      time.Duration
}

const (
	defaultInitFuel      = 100_000_000
	defaultDescribeBytes = 4 << 20
)

// DefaultLimits are what a plugin has that nobody set limits for.
func DefaultLimits() Limits { return Limits{}.withDefaults() }

// LimitCaps are the most that an operator may set where the server's flags say nothing else.
func LimitCaps() (caps Limits) {
	for _, limit := range AllLimits() {
		caps.Set(limit, max(limitInfos[limit].top, limitInfos[limit].value))
	}
	return caps
}

func (l Limits) withDefaults() Limits {
	for _, limit := range AllLimits() {
		if l.Get(limit) <= 0 {
			l.Set(limit, limitInfos[limit].value)
		}
	}
	if l.InitFuel <= 0 {
		l.InitFuel = defaultInitFuel
	}
	if l.DescribeBytes == 0 {
		l.DescribeBytes = defaultDescribeBytes
	}
	return l
}

// With is l with the limits of other in place of its own, but for those that other leaves at zero.
func (l Limits) With(other Limits) Limits {
	for _, limit := range AllLimits() {
		if value := other.Get(limit); value > 0 {
			l.Set(limit, value)
		}
	}
	return l
}

// fuel is the budget of a call with a request frame of so many bytes.
func (l *Limits) fuel(size int) int64 { return l.Fuel + l.FuelPerByte*int64(size) }
