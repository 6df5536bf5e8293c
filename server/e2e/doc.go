// Package e2e proves the server from outside: real processes, stock kubectl, client-go. It has tests alone.
//
// The nouns, one file each:
//
//   - server (server_test.go): one `stratagem serve` process and how to reach it;
//   - kubectl (kubectl_test.go): stock kubectl, built from kubectl/main.go, pointed at a server;
//   - external etcd (etcd_test.go) and curl, bare HTTP with a server's credentials (http_test.go).
//
// main_test.go builds the commands once per run. Most tests share one server and keep to a namespace of their own.
package e2e
