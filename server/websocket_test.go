package server

import (
	"encoding/base64"
	"net/http"
	"testing"
)

// TestTokenInSubprotocol: a handshake bears one token, well encoded, and another subprotocol besides.
func TestTokenInSubprotocol(t *testing.T) {
	token := bearerProtocol + base64.RawURLEncoding.EncodeToString([]byte("secret~token"))
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"with another":        {[]string{token + ", binary.k8s.io"}, "secret~token"},
		"behind another":      {[]string{"a,b," + token}, "secret~token"},
		"on lines":            {[]string{token, "binary.k8s.io"}, "secret~token"},
		"alone":               {[]string{token}, ""},
		"twice":               {[]string{token + ",a," + token}, ""},
		"none":                {[]string{"binary.k8s.io"}, ""},
		"no header":           {nil, ""},
		"padded":              {[]string{bearerProtocol + "c2VjcmV0fg==, a"}, ""},
		"the other alphabet":  {[]string{bearerProtocol + "c2Vj+A, a"}, ""},
		"bytes that are none": {[]string{bearerProtocol + base64.RawURLEncoding.EncodeToString([]byte{0xff, 0xfe}) + ", a"}, ""},
	} {
		token, ok := protocolToken(http.Header{"Sec-Websocket-Protocol": c.lines})
		if ok != (c.want != "") || ok && token != c.want {
			t.Errorf("%s: %q, %v", name, token, ok)
		}
	}
}
