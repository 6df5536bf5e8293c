package artifact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// IsURL tells whether a text is meant as a URL that Download takes.
func IsURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http")
}

// Download fetches a module from an HTTPS server. sum is its sha256 in hexadecimal; a module that has another one is refused.
func (c *Client) Download(ctx context.Context, address, sum string) (Artifact, error) {
	ctx, cancel := c.bounded(ctx)
	defer cancel()
	u, err := url.Parse(address)
	if err != nil {
		return Artifact{}, err
	}
	// What is told and recorded has no password and no token in it.
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	a := Artifact{Source: shown.String()}
	if u.Scheme != "https" && !c.plainAllowed(u.Host) {
		return Artifact{}, &Error{"pull", a.Source, errors.New("without TLS only this machine is asked; use https")}
	}
	a.Wasm, err = c.download(ctx, u)
	if err == nil {
		err = CheckSum(a.Wasm, sum)
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the URL
	}
	return a, failed(ctx, "pull", a.Source, err)
}

func (c *Client) download(ctx context.Context, u *url.URL) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return nil, ErrNotFound
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the server answers %s", resp.Status)
	case resp.ContentLength > c.options.MaxBytes:
		return nil, fmt.Errorf("%w: the module has %d bytes; at most %d are allowed", ErrTooLarge, resp.ContentLength, c.options.MaxBytes)
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, c.options.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("the body ended early, after %d bytes: %w", len(raw), err)
	}
	if int64(len(raw)) > c.options.MaxBytes {
		return nil, fmt.Errorf("%w: the module has more than %d bytes", ErrTooLarge, c.options.MaxBytes)
	}
	return raw, nil
}

// CheckSum reports a module whose sha256 is not sum, in hexadecimal.
func CheckSum(wasm []byte, sum string) error {
	want, err := hex.DecodeString(sum)
	if err != nil || len(want) != sha256.Size {
		return fmt.Errorf("sha256 %q: must be 64 hexadecimal digits", sum)
	}
	if got := sha256.Sum256(wasm); [sha256.Size]byte(want) != got {
		return fmt.Errorf("%w: the module's sha256 is %x, not %s", ErrDigest, got, sum)
	}
	return nil
}
