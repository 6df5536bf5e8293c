package e2e

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// proxy stands between a server and etcd, and can cut their connections.
type proxy struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	down  bool
	conns map[net.Conn]struct{}
}

func startProxy(t *testing.T, clientURL string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	p := &proxy{listener: listener, target: strings.TrimPrefix(clientURL, "http://"), conns: map[net.Conn]struct{}{}}
	t.Cleanup(func() {
		_ = listener.Close()
		p.cut(true)
	})
	go p.serve()
	return p
}

func (p *proxy) url() string { return "http://" + p.listener.Addr().String() }

func (p *proxy) serve() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		upstream, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = conn.Close()
			continue
		}
		p.keep(conn, upstream)
		go pipe(conn, upstream)
		go pipe(upstream, conn)
	}
}

func (p *proxy) keep(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range conns {
		if p.down {
			_ = conn.Close()
			continue
		}
		p.conns[conn] = struct{}{}
	}
}

func pipe(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	_ = to.Close()
	_ = from.Close()
}

// cut closes all connections; while down, new ones are closed at once.
func (p *proxy) cut(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
	for conn := range p.conns {
		_ = conn.Close()
	}
	clear(p.conns)
}
