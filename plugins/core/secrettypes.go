package main

import (
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"

	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

// The types of secrets that have rules.
const (
	typeOpaque              = "Opaque"
	typeServiceAccountToken = "kubernetes.io/service-account-token"
	typeDockercfg           = "kubernetes.io/dockercfg"
	typeDockerConfigJSON    = "kubernetes.io/dockerconfigjson"
	typeBasicAuth           = "kubernetes.io/basic-auth"
	typeSSHAuth             = "kubernetes.io/ssh-auth"
	typeTLS                 = "kubernetes.io/tls"
)

const serviceAccountName = "kubernetes.io/service-account.name"

// validateType checks what a secret's type asks for.
func validateType(secret *sdk.Object, at *field.Path) (errs field.ErrorList) {
	data := secret.Get("data")
	require := func(keys ...string) {
		for _, key := range keys {
			errs = append(errs, field.Required(at.Key(key), ""))
		}
	}
	switch secret.Get("type").String() {
	case typeServiceAccountToken:
		if secret.Annotation(serviceAccountName) == "" {
			errs = append(errs, field.Required(field.NewPath("metadata", "annotations").Key(serviceAccountName), ""))
		}
	case typeDockercfg:
		return validateDockerConfig(data, ".dockercfg", at)
	case typeDockerConfigJSON:
		return validateDockerConfig(data, ".dockerconfigjson", at)
	case typeBasicAuth:
		if !data.Get("username").Exists() && !data.Get("password").Exists() {
			require("username", "password")
		}
	case typeSSHAuth:
		if data.Get("ssh-privatekey").String() == "" {
			require("ssh-privatekey")
		}
	case typeTLS:
		for _, key := range []string{"tls.crt", "tls.key"} {
			if !data.Get(key).Exists() {
				require(key)
			}
		}
	}
	return errs
}

// maxConfig is the longest configuration, in base64, that is looked into: a hook has fuel for no more.
const maxConfig = 64 << 10

// validateDockerConfig wants a JSON object under a key.
func validateDockerConfig(data sdk.Value, key string, at *field.Path) field.ErrorList {
	value := data.Get(key)
	if !value.Exists() {
		return field.ErrorList{field.Required(at.Key(key), "")}
	}
	if len(value.Raw()) > maxConfig {
		return nil
	}
	config, err := base64.StdEncoding.DecodeString(value.String())
	if err != nil {
		return nil // validateBytes has said so
	}
	if _, err := sdk.ParseObject(string(config)); err == nil {
		return nil
	}
	err = json.Unmarshal(config, &struct{}{}) // for its words
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mismatch):
		return field.ErrorList{field.Invalid(at.Key(key), redacted, "json: cannot unmarshal "+mismatch.Value+" into Go value of type map[string]interface {}")}
	case err != nil:
		return field.ErrorList{field.Invalid(at.Key(key), redacted, err.Error())}
	}
	return nil
}

// tlsWarnings tell of a certificate or a key that is not in PEM, with the texts of crypto/tls.
func tlsWarnings(secret *sdk.Object) []string {
	if secret.Get("type").String() != typeTLS {
		return nil
	}
	for _, part := range []struct{ key, name string }{{"tls.crt", "certificate"}, {"tls.key", "key"}} {
		value, err := base64.StdEncoding.DecodeString(secret.Get("data", part.key).String())
		if err != nil {
			return nil
		}
		if block, _ := pem.Decode(value); block == nil {
			return []string{"tls: failed to find any PEM data in " + part.name + " input"}
		}
	}
	return nil
}
