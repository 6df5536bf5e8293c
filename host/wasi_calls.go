package host

import (
	"encoding/binary"
	"math"

	"github.com/tetratelabs/wazero/api"
)

// The answers to WASI calls, by their numbers in preview 1.
const (
	wasiOK       = 0
	wasiBadFile  = 8
	wasiFault    = 21
	wasiInvalid  = 28
	wasiNoSystem = 52
)

// maxVectors is how many pieces one fd_write, and how many subscriptions one poll_oneoff, may have, as on Linux.
const maxVectors = 1024

func wasiNothing(*guest, api.Module, []uint64) uint64 { return wasiOK }
func wasiNoFile(*guest, api.Module, []uint64) uint64  { return wasiBadFile }

func wasiPut64(mod api.Module, ptr uint64, value uint64) uint64 {
	if !mod.Memory().WriteUint64Le(uint32(ptr), value) {
		return wasiFault
	}
	return wasiOK
}

func wasiZeroSizes(_ *guest, mod api.Module, stack []uint64) uint64 {
	if !mod.Memory().WriteUint32Le(uint32(stack[0]), 0) || !mod.Memory().WriteUint32Le(uint32(stack[1]), 0) {
		return wasiFault
	}
	return wasiOK
}

// wasiRandom fills with the same sequence every time (splitmix64 from zero).
func wasiRandom(g *guest, mod api.Module, stack []uint64) uint64 {
	g.charge(int64(uint32(stack[1])))
	buf, ok := mod.Memory().Read(uint32(stack[0]), uint32(stack[1]))
	if !ok {
		return wasiFault
	}
	var state uint64
	var block [8]byte
	for len(buf) > 0 {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		binary.LittleEndian.PutUint64(block[:], z^z>>31)
		buf = buf[copy(buf, block[:]):]
	}
	return wasiOK
}

// wasiWrite sends what goes to standard output and standard error to the call's log.
func wasiWrite(g *guest, mod api.Module, stack []uint64) uint64 {
	if fd := uint32(stack[0]); fd != 1 && fd != 2 {
		return wasiBadFile
	}
	count := uint32(stack[2])
	if count > maxVectors {
		return wasiInvalid
	}
	vectors, ok := mod.Memory().Read(uint32(stack[1]), 8*count)
	if !ok {
		return wasiFault
	}
	var written uint32
	for ; len(vectors) > 0; vectors = vectors[8:] {
		g.charge(hostCallFuel)
		n := binary.LittleEndian.Uint32(vectors[4:])
		text, ok := mod.Memory().Read(binary.LittleEndian.Uint32(vectors), n)
		if !ok {
			return wasiFault
		}
		g.log.write(text)
		written += n
	}
	if !mod.Memory().WriteUint32Le(uint32(stack[3]), written) {
		return wasiFault
	}
	return wasiOK
}

// The layout of poll_oneoff's records.
const (
	subscriptionSize = 48
	eventSize        = 32
)

// wasiPoll lets time pass at once: the clock goes to the first moment that is waited for. Files are never ready. Go's
// runtime sleeps like that while it collects garbage.
func wasiPoll(g *guest, mod api.Module, stack []uint64) uint64 {
	count := uint32(stack[2])
	if count == 0 || count > maxVectors {
		return wasiInvalid
	}
	g.charge(hostCallFuel * int64(count))
	subscriptions, ok := mod.Memory().Read(uint32(stack[0]), subscriptionSize*count)
	if !ok {
		return wasiFault
	}
	events, ok := mod.Memory().Read(uint32(stack[1]), eventSize*count)
	if !ok {
		return wasiFault
	}
	now, first := g.clock, uint64(math.MaxUint64)
	for s := subscriptions; len(s) > 0; s = s[subscriptionSize:] {
		first = min(first, due(s, now))
	}
	g.clock = max(now, first)
	answered := uint32(0)
	for s := subscriptions; len(s) > 0; s = s[subscriptionSize:] {
		if due(s, now) > first {
			continue
		}
		event := events[eventSize*answered:][:eventSize]
		answered++
		kind, userdata := s[8], binary.LittleEndian.Uint64(s)
		clear(event)
		binary.LittleEndian.PutUint64(event, userdata)
		if event[10] = kind; kind != 0 {
			event[8] = wasiBadFile
		}
	}
	if !mod.Memory().WriteUint32Le(uint32(stack[3]), answered) {
		return wasiFault
	}
	return wasiOK
}

// due is when a subscription is to be answered: one of a file at once.
func due(subscription []byte, now uint64) uint64 {
	if subscription[8] != 0 {
		return 0
	}
	timeout := binary.LittleEndian.Uint64(subscription[24:])
	if absolute := subscription[40]&1 == 1; absolute {
		return timeout
	}
	if timeout > math.MaxUint64-now {
		return math.MaxUint64
	}
	return now + timeout
}
