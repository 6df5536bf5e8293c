package command

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stratagem-dev/stratagem/server"
	"github.com/stratagem-dev/stratagem/server/artifact"
	"github.com/stratagem-dev/stratagem/server/signing"
)

// fetchFlags say how modules are fetched from registries and servers.
type fetchFlags struct {
	plainHTTP bool
	caFile    string
	timeout   time.Duration
}

func (f *fetchFlags) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.plainHTTP, "plain-http", false, "speak HTTP without TLS to registries and servers on other machines too")
	cmd.Flags().StringVar(&f.caFile, "ca-file", "", "certificates of authorities to trust besides the system's, for registries and servers")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 5*time.Minute, "how long fetching or publishing a module may take")
}

func (f *fetchFlags) client() (*artifact.Client, error) {
	return artifact.NewClient(artifact.Options{MaxBytes: server.MaxUploadBytes, Timeout: f.timeout, PlainHTTP: f.plainHTTP, CAFile: f.caFile})
}

// sourceFlags say which module is taken.
type sourceFlags struct {
	fetchFlags
	sha256     string
	signatures []string
}

func (f *sourceFlags) add(cmd *cobra.Command) {
	f.fetchFlags.add(cmd)
	cmd.Flags().StringVar(&f.sha256, "sha256", "", "sha256 that the module must have, in hexadecimal; https:// needs it")
	f.addSignatures(cmd)
}

func (f *sourceFlags) addSignatures(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.signatures, "signature", nil, "files with signatures of the module (default: FILE.wasm.sig, where it is there)")
}

// fetch gets the module that a source names: a file, an https:// URL or an oci:// reference.
func (f *sourceFlags) fetch(ctx context.Context, source string) (artifact.Artifact, error) {
	a, err := f.fetchOnly(ctx, source)
	if err != nil {
		return a, err
	}
	if f.sha256 != "" {
		if err := artifact.CheckSum(a.Wasm, strings.TrimPrefix(f.sha256, "sha256:")); err != nil {
			return a, fmt.Errorf("--sha256: %s: %w", source, err)
		}
	}
	for _, file := range f.signatures {
		if a.Signatures, err = addSignatures(a.Signatures, file); err != nil {
			return a, fmt.Errorf("--signature: %w", err)
		}
	}
	return a, nil
}

func (f *sourceFlags) fetchOnly(ctx context.Context, source string) (artifact.Artifact, error) {
	remote := artifact.IsReference(source) || artifact.IsURL(source)
	if !remote {
		return f.readModule(source)
	}
	client, err := f.client()
	if err != nil {
		return artifact.Artifact{}, err
	}
	if artifact.IsReference(source) {
		ref, err := artifact.ParseReference(source)
		if err != nil {
			return artifact.Artifact{}, err
		}
		return client.Pull(ctx, ref)
	}
	if f.sha256 == "" {
		return artifact.Artifact{}, errors.New("--sha256: must be given for a module from a URL")
	}
	return client.Download(ctx, source, strings.TrimPrefix(f.sha256, "sha256:"))
}

// readModule reads a file, and the signatures beside it unless others are named.
func (f *sourceFlags) readModule(file string) (artifact.Artifact, error) {
	info, err := os.Stat(file)
	if err != nil {
		return artifact.Artifact{}, err
	}
	if info.Size() > server.MaxUploadBytes {
		return artifact.Artifact{}, fmt.Errorf("%s: has %d bytes; at most %d are allowed", file, info.Size(), server.MaxUploadBytes)
	}
	a := artifact.Artifact{}
	if a.Wasm, err = os.ReadFile(file); err != nil || len(f.signatures) > 0 {
		return a, err
	}
	a.Signatures, err = addSignatures(nil, file+signatureSuffix)
	if errors.Is(err, os.ErrNotExist) {
		return a, nil
	}
	return a, err
}

// signatureSuffix follows a module's file name where its signatures are.
const signatureSuffix = ".sig"

func addSignatures(all []signing.Signature, file string) ([]signing.Signature, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	more, err := signing.ParseAll(text)
	for i := 0; err == nil && i < len(more); i++ {
		all, err = signing.Append(all, more[i])
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return all, nil
}

// writeSignatures writes signatures one a line, or removes the file where there are none.
func writeSignatures(file string, all []signing.Signature) error {
	if len(all) == 0 {
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	var text []byte
	for _, s := range all {
		text = append(append(text, s.Document...), '\n')
	}
	return os.WriteFile(file, text, 0o644)
}

// nameOf is the plugin's name where a source is all that is given.
func nameOf(source string) string {
	if ref, err := artifact.ParseReference(source); err == nil {
		return path.Base(ref.Repository)
	}
	if u, err := url.Parse(source); err == nil && artifact.IsURL(source) {
		source = u.Path
	}
	return strings.TrimSuffix(filepath.Base(source), ".wasm")
}

// describeSignatures is what is told of signatures: format and key.
func describeSignatures(all []signing.Signature) []string {
	var told []string
	for _, s := range all {
		key := s.KeyID
		if key == "" {
			key = "that it does not name"
		}
		told = append(told, fmt.Sprintf("%s, by key %s", s.Format, key))
	}
	return told
}
