package artifact

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"
)

// The reasons of an Error that are told apart.
var (
	ErrUnauthorized = errors.New("unauthorized: the registry asks for credentials that docker's config file ($DOCKER_CONFIG/config.json, ~/.docker/config.json) does not have, or refuses them")
	ErrForbidden    = errors.New("forbidden: the registry does not allow this with the credentials given")
	ErrNotFound     = errors.New("not found")
	ErrTooLarge     = errors.New("too large")
	ErrMediaType    = errors.New("not a Wasm artifact")
	ErrDigest       = errors.New("digest mismatch")
)

// Error reports a fetch or publication that failed.
type Error struct {
	Verb   string // pull, push
	Source string
	Err    error
}

func (e *Error) Error() string { return e.Verb + " " + e.Source + ": " + e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// failed explains what a registry or server answered.
func failed(ctx context.Context, verb, source string, err error) error {
	if err == nil {
		return nil
	}
	var answer *errcode.ErrorResponse
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		err = ErrUnauthorized
	case errors.As(err, &answer) && answer.StatusCode == http.StatusUnauthorized:
		err = fmt.Errorf("%w: %w", ErrUnauthorized, err)
	case errors.As(err, &answer) && answer.StatusCode == http.StatusForbidden:
		err = fmt.Errorf("%w: %w", ErrForbidden, err)
	case errors.Is(err, errdef.ErrNotFound):
		err = fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return &Error{verb, source, err}
}
