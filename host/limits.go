package host

import (
	"runtime"
	"time"
)

// Limits bound what one plugin may use. A field that is zero has the default that its comment states.
type Limits struct {
	// ModuleBytes is the size of the .wasm file: 64 MiB.
	ModuleBytes int
	// LoadTime is what compiling the module and its schemas may take: 60 s.
	LoadTime time.Duration
	// Fuel is the budget of one call of the guest, about the number of instructions: 20 000 000. FuelPerByte is added
	// for every byte of the request frame, since large objects are more work: 100.
	Fuel, FuelPerByte int64
	// InitFuel is the budget for starting an instance and for describe, each: 100 000 000.
	InitFuel int64
	// MemoryPages is the linear memory of one instance, in pages of 64 KiB: 1024 (64 MiB).
	MemoryPages uint32
	// ReplyBytes is the size of a reply frame: 16 MiB. ObjectBytes is the size of one object in it: 4 MiB, which is what
	// the storage takes.
	ReplyBytes, ObjectBytes uint32
	// DescribeBytes is the size of the description, and of the custom section with the schemas: 4 MiB.
	DescribeBytes uint32
	// LogBytes is what one call may log: 16 KiB; LogBytesPerMinute what all calls may log in a minute: 4 MiB. What is beyond
	// is dropped and counted.
	LogBytes, LogBytesPerMinute int
	// Warnings is how many warnings one call may give: 64; WarningRunes how long each may be: 256; AllWarningRunes how
	// long they may be together: 4096. What is beyond is cut.
	Warnings, WarningRunes, AllWarningRunes int
	// FieldErrors is how many field errors one call may give: 1000. What is beyond is cut.
	FieldErrors int
	// Instances is how many instances run at once: twice the number of CPUs, and at least 4.
	Instances int
	// Waiting is how many calls may wait for an instance: 1000. The next is refused: 429.
	Waiting int
	// Wait is how long a call waits for an instance: 10 s.
	Wait time.Duration
}

func orDefault[T int | int64 | uint32 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

func (l Limits) withDefaults() Limits {
	orDefault(&l.ModuleBytes, 64<<20)
	orDefault(&l.LoadTime, time.Minute)
	orDefault(&l.Fuel, 20_000_000)
	orDefault(&l.FuelPerByte, 100)
	orDefault(&l.InitFuel, 100_000_000)
	orDefault(&l.MemoryPages, 1024)
	orDefault(&l.ReplyBytes, 16<<20)
	orDefault(&l.ObjectBytes, 4<<20)
	orDefault(&l.DescribeBytes, 4<<20)
	orDefault(&l.LogBytes, 16<<10)
	orDefault(&l.LogBytesPerMinute, 4<<20)
	orDefault(&l.Warnings, 64)
	orDefault(&l.WarningRunes, 256)
	orDefault(&l.AllWarningRunes, 4096)
	orDefault(&l.FieldErrors, 1000)
	orDefault(&l.Instances, max(4, 2*runtime.GOMAXPROCS(0)))
	orDefault(&l.Waiting, 1000)
	orDefault(&l.Wait, 10*time.Second)
	return l
}

// fuel is the budget of a call with a request frame of so many bytes.
func (l *Limits) fuel(size int) int64 { return l.Fuel + l.FuelPerByte*int64(size) }
