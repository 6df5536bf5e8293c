package command

import (
	"context"
	"log/slog"
	"strings"
)

// etcdLog passes etcd's lines, which are "time TAB level TAB message TAB fields", on to the server's log.
type etcdLog struct{ log *slog.Logger }

// harmless are the warnings that an embedded etcd gives at every start, about ports and tokens that it does not have here.
var harmless = map[string]bool{
	"Running http and grpc server on single port. This is not recommended for production.": true,
	"simple token is not cryptographically signed":                                         true,
}

var etcdLevels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn}

// Write takes one line.
func (w etcdLog) Write(line []byte) (int, error) {
	parts := strings.SplitN(strings.TrimSpace(string(line)), "\t", 4)
	if len(parts) < 3 {
		w.log.Warn("etcd: " + string(line))
		return len(line), nil
	}
	if harmless[parts[2]] {
		return len(line), nil
	}
	level, known := etcdLevels[parts[1]]
	if !known {
		level = slog.LevelError
	}
	var fields []any
	if len(parts) == 4 {
		fields = []any{"fields", parts[3]}
	}
	w.log.Log(context.Background(), level, "etcd: "+parts[2], fields...)
	return len(line), nil
}
