package host

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// The answers to WASI calls, by their numbers in preview 1.
const (
	wasiOK       = 0
	wasiBadFile  = 8
	wasiFault    = 21
	wasiNoSystem = 52
)

// errExit is the trap of a guest that calls proc_exit.
var errExit = errors.New("the guest called proc_exit")

// stillTime is what every clock shows, in nanoseconds: not 0, at which Go's runtime refuses to start.
const stillTime = 1

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

// wasiFunction is one function of WASI preview 1: its parameters and what it does; nil answers "no such system call".
type wasiFunction struct {
	params []api.ValueType
	call   func(g *guest, mod api.Module, stack []uint64) uint64
}

// wasiFunctions is what toolchains link in. There are no files, no arguments and no environment, the clock stands still
// and randomness is a fixed sequence: a hook can only compute. Nothing here keeps state.
var wasiFunctions = map[string]wasiFunction{
	"args_get":                {[]api.ValueType{i32, i32}, wasiNothing},
	"args_sizes_get":          {[]api.ValueType{i32, i32}, wasiZeroSizes},
	"environ_get":             {[]api.ValueType{i32, i32}, wasiNothing},
	"environ_sizes_get":       {[]api.ValueType{i32, i32}, wasiZeroSizes},
	"clock_res_get":           {[]api.ValueType{i32, i32}, func(_ *guest, m api.Module, s []uint64) uint64 { return wasiPut64(m, s[1], 1) }},
	"clock_time_get":          {[]api.ValueType{i32, i64, i32}, func(_ *guest, m api.Module, s []uint64) uint64 { return wasiPut64(m, s[2], stillTime) }},
	"random_get":              {[]api.ValueType{i32, i32}, wasiRandom},
	"sched_yield":             {nil, wasiNothing},
	"fd_write":                {[]api.ValueType{i32, i32, i32, i32}, wasiWrite},
	"fd_advise":               {[]api.ValueType{i32, i64, i64, i32}, nil},
	"fd_allocate":             {[]api.ValueType{i32, i64, i64}, nil},
	"fd_close":                {[]api.ValueType{i32}, wasiNoFile},
	"fd_datasync":             {[]api.ValueType{i32}, wasiNoFile},
	"fd_fdstat_get":           {[]api.ValueType{i32, i32}, wasiNoFile},
	"fd_fdstat_set_flags":     {[]api.ValueType{i32, i32}, wasiNoFile},
	"fd_fdstat_set_rights":    {[]api.ValueType{i32, i64, i64}, wasiNoFile},
	"fd_filestat_get":         {[]api.ValueType{i32, i32}, wasiNoFile},
	"fd_filestat_set_size":    {[]api.ValueType{i32, i64}, wasiNoFile},
	"fd_filestat_set_times":   {[]api.ValueType{i32, i64, i64, i32}, wasiNoFile},
	"fd_pread":                {[]api.ValueType{i32, i32, i32, i64, i32}, wasiNoFile},
	"fd_prestat_get":          {[]api.ValueType{i32, i32}, wasiNoFile},
	"fd_prestat_dir_name":     {[]api.ValueType{i32, i32, i32}, wasiNoFile},
	"fd_pwrite":               {[]api.ValueType{i32, i32, i32, i64, i32}, wasiNoFile},
	"fd_read":                 {[]api.ValueType{i32, i32, i32, i32}, wasiNoFile},
	"fd_readdir":              {[]api.ValueType{i32, i32, i32, i64, i32}, wasiNoFile},
	"fd_renumber":             {[]api.ValueType{i32, i32}, wasiNoFile},
	"fd_seek":                 {[]api.ValueType{i32, i64, i32, i32}, wasiNoFile},
	"fd_sync":                 {[]api.ValueType{i32}, wasiNoFile},
	"fd_tell":                 {[]api.ValueType{i32, i32}, wasiNoFile},
	"path_create_directory":   {[]api.ValueType{i32, i32, i32}, nil},
	"path_filestat_get":       {[]api.ValueType{i32, i32, i32, i32, i32}, nil},
	"path_filestat_set_times": {[]api.ValueType{i32, i32, i32, i32, i64, i64, i32}, nil},
	"path_link":               {[]api.ValueType{i32, i32, i32, i32, i32, i32, i32}, nil},
	"path_open":               {[]api.ValueType{i32, i32, i32, i32, i32, i64, i64, i32, i32}, nil},
	"path_readlink":           {[]api.ValueType{i32, i32, i32, i32, i32, i32}, nil},
	"path_remove_directory":   {[]api.ValueType{i32, i32, i32}, nil},
	"path_rename":             {[]api.ValueType{i32, i32, i32, i32, i32, i32}, nil},
	"path_symlink":            {[]api.ValueType{i32, i32, i32, i32, i32}, nil},
	"path_unlink_file":        {[]api.ValueType{i32, i32, i32}, nil},
	"poll_oneoff":             {[]api.ValueType{i32, i32, i32, i32}, nil},
	"proc_raise":              {[]api.ValueType{i32}, nil},
	"sock_accept":             {[]api.ValueType{i32, i32, i32}, nil},
	"sock_recv":               {[]api.ValueType{i32, i32, i32, i32, i32, i32}, nil},
	"sock_send":               {[]api.ValueType{i32, i32, i32, i32, i32}, nil},
	"sock_shutdown":           {[]api.ValueType{i32, i32}, nil},
	"proc_exit":               {[]api.ValueType{i32}, func(_ *guest, _ api.Module, s []uint64) uint64 { panic(fmt.Errorf("%w(%d)", errExit, uint32(s[0]))) }},
}

// instantiateWASI gives a runtime the functions of wasiFunctions.
func instantiateWASI(ctx context.Context, runtime wazero.Runtime) error {
	builder := runtime.NewHostModuleBuilder("wasi_snapshot_preview1")
	for name, f := range wasiFunctions {
		results := []api.ValueType{i32}
		if name == "proc_exit" {
			results = nil
		}
		builder.NewFunctionBuilder().WithGoModuleFunction(wasiCall(f.call), f.params, results).Export(name)
	}
	_, err := builder.Instantiate(ctx)
	return err
}

func wasiCall(call func(*guest, api.Module, []uint64) uint64) api.GoModuleFunc {
	return func(ctx context.Context, mod api.Module, stack []uint64) {
		g := guestOf(ctx)
		g.charge(hostCallFuel)
		answer := uint64(wasiNoSystem)
		if call != nil {
			answer = call(g, mod, stack)
		}
		if len(stack) > 0 {
			stack[0] = answer
		}
	}
}

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
	var written uint32
	for i := range uint32(stack[2]) {
		g.charge(hostCallFuel)
		ptr, ok1 := mod.Memory().ReadUint32Le(uint32(stack[1]) + 8*i)
		n, ok2 := mod.Memory().ReadUint32Le(uint32(stack[1]) + 8*i + 4)
		text, ok3 := mod.Memory().Read(ptr, n)
		if !ok1 || !ok2 || !ok3 {
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
