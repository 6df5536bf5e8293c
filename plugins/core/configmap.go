package main

import (
	"github.com/stratagem-dev/stratagem/sdk"
	"github.com/stratagem-dev/stratagem/sdk/field"
)

// ConfigMap is the life of a ConfigMap.
type ConfigMap struct{}

// Default writes binaryData in one way.
func (ConfigMap) Default(_ *sdk.Context, configMap *sdk.Object) {
	canonicalBytes(configMap, "binaryData")
}

// Validate is Kubernetes' ValidateConfigMap.
func (ConfigMap) Validate(_ *sdk.Context, configMap *sdk.Object) (errs field.ErrorList) {
	data, binary := configMap.Get("data"), configMap.Get("binaryData")
	total := 0
	for key, value := range data.Fields() {
		at := field.NewPath("data")
		errs = append(errs, validateKey(key, at)...)
		if binary.Get(key).Exists() {
			errs = append(errs, field.Invalid(at.Key(key), key, "duplicate of key present in binaryData"))
		}
		total += len(value.String())
	}
	size, wrong := validateBytes(binary, field.NewPath("binaryData"))
	errs = append(errs, wrong...)
	if total+size > maxBytes {
		errs = append(errs, field.TooLong(field.NewPath(""), nil, maxBytes)) // the whole object is meant
	}
	return errs
}

// ValidateUpdate is Kubernetes' ValidateConfigMapUpdate.
func (s ConfigMap) ValidateUpdate(ctx *sdk.Context, configMap, old *sdk.Object) field.ErrorList {
	return append(validateImmutable(configMap, old, "data", "binaryData"), s.Validate(ctx, configMap)...)
}

// AllowUnconditionalUpdate is true for ConfigMaps.
func (ConfigMap) AllowUnconditionalUpdate() bool { return true }

var configMapColumns = []sdk.Column{
	nameColumn,
	{Name: "Data", Type: "string", Description: "How many entries data and binaryData have."},
	ageColumn,
}

// ConvertToTable counts the entries.
func (ConfigMap) ConvertToTable(_ *sdk.Context, configMaps []*sdk.Object) (rows [][]sdk.Cell) {
	for _, configMap := range configMaps {
		rows = append(rows, []sdk.Cell{configMap.Get("data").Len() + configMap.Get("binaryData").Len()})
	}
	return rows
}

var (
	_ sdk.Defaulter                  = ConfigMap{}
	_ sdk.Validator                  = ConfigMap{}
	_ sdk.UpdateValidator            = ConfigMap{}
	_ sdk.UnconditionalUpdateAllower = ConfigMap{}
	_ sdk.TableConvertor             = ConfigMap{}
)
