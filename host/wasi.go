package host

import (
	"context"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// errExit is the trap of a guest that calls proc_exit.
var errExit = errors.New("the guest called proc_exit")

// firstTime is what every clock shows at first, in nanoseconds: not 0, at which Go's runtime refuses to start.
const firstTime = 1

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
// but where the guest sleeps, and randomness is a fixed sequence: a hook can only compute. The clock is the only state.
var wasiFunctions = map[string]wasiFunction{
	"args_get":                {[]api.ValueType{i32, i32}, wasiNothing},
	"args_sizes_get":          {[]api.ValueType{i32, i32}, wasiZeroSizes},
	"environ_get":             {[]api.ValueType{i32, i32}, wasiNothing},
	"environ_sizes_get":       {[]api.ValueType{i32, i32}, wasiZeroSizes},
	"clock_res_get":           {[]api.ValueType{i32, i32}, func(_ *guest, m api.Module, s []uint64) uint64 { return wasiPut64(m, s[1], 1) }},
	"clock_time_get":          {[]api.ValueType{i32, i64, i32}, func(g *guest, m api.Module, s []uint64) uint64 { return wasiPut64(m, s[2], g.clock) }},
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
	"poll_oneoff":             {[]api.ValueType{i32, i32, i32, i32}, wasiPoll},
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
