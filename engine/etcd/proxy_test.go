package etcd

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// proxy stands between a client and etcd, and can cut their connections.
type proxy struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	down  bool
	conns map[net.Conn]struct{}
}

// startProxy starts a proxy to a server's client URL.
func startProxy(t *testing.T, clientURL string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, target: strings.TrimPrefix(clientURL, "http://"), conns: map[net.Conn]struct{}{}}
	t.Cleanup(func() {
		_ = listener.Close()
		p.cut(true)
	})
	go p.serve()
	return p
}

func (p *proxy) client(t *testing.T) *clientv3.Client {
	t.Helper()
	client, err := Dial(DialConfig{Endpoints: []string{"http://" + p.listener.Addr().String()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func (p *proxy) serve() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		upstream, err := net.Dial("tcp", p.target)
		if err != nil || !p.keep(conn, upstream) {
			_ = conn.Close()
			continue
		}
		go p.pipe(conn, upstream)
		go p.pipe(upstream, conn)
	}
}

func (p *proxy) keep(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range conns {
		if p.down {
			_ = conn.Close()
			continue
		}
		p.conns[conn] = struct{}{}
	}
	return !p.down
}

func (p *proxy) pipe(to, from net.Conn) {
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
