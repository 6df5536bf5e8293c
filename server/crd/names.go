package crd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/stratagem-dev/stratagem/engine"
)

// Claim is a resource that something other than a definition serves.
type Claim struct {
	Resource *engine.Resource
	Owner    string // `strategy plugin "crontabs"`, "the server itself"
}

// taken are the names of a group that are not free, with their owners; "" is another definition.
type taken struct {
	resources, kinds map[string]string
	blocked          string // why nothing at all may be defined here
}

// takenFrom collects what the definition may not take: the accepted names of others of its group, and what is claimed.
func takenFrom(crd *apiv1.CustomResourceDefinition, others []*apiv1.CustomResourceDefinition, claims []Claim) taken {
	t := taken{resources: map[string]string{}, kinds: map[string]string{}}
	for _, other := range others {
		if other.Spec.Group == crd.Spec.Group && other.Name != crd.Name {
			t.add("", &other.Status.AcceptedNames)
		}
	}
	keys := keyRoot(crd) + "/"
	for _, c := range claims {
		r := c.Resource
		if r.Group == crd.Spec.Group {
			t.add(c.Owner, &apiv1.CustomResourceDefinitionNames{Plural: r.Plural, Singular: r.Singular, ShortNames: r.ShortNames, Kind: r.Kind, ListKind: r.ListKind})
		}
		if theirs := r.KeyRoot + "/"; t.resources[crd.Spec.Names.Plural] == "" && (strings.HasPrefix(keys, theirs) || strings.HasPrefix(theirs, keys)) {
			t.blocked = fmt.Sprintf("its objects would be stored where those of %s are, which %s defines", r.GroupResource().String(), c.Owner)
		}
	}
	if crd.Spec.Group == ownGroup {
		t.blocked = fmt.Sprintf("group %q is the server's own", ownGroup)
	}
	return t
}

// ownGroup is where the server keeps its plugins, among them keys that decide what is served.
const ownGroup = "stratagem.dev"

func (t *taken) add(owner string, names *apiv1.CustomResourceDefinitionNames) {
	for _, name := range append([]string{names.Plural, names.Singular}, names.ShortNames...) {
		t.resources[name] = owner
	}
	t.kinds[names.Kind], t.kinds[names.ListKind] = owner, owner
}

// free tells why a name cannot be had; the one that was accepted before can.
func free(name, accepted string, taken map[string]string) error {
	owner, used := taken[name]
	switch {
	case name == accepted || !used:
		return nil
	case owner != "":
		return fmt.Errorf("%q is already in use by %s", name, owner)
	}
	return fmt.Errorf("%q is already in use", name)
}

// acceptNames decides which of the names of a definition it gets. Those that are taken stay as they were accepted before.
func acceptNames(crd *apiv1.CustomResourceDefinition, t taken) (apiv1.CustomResourceDefinitionNames, apiv1.CustomResourceDefinitionCondition) {
	condition := apiv1.CustomResourceDefinitionCondition{
		Type: apiv1.NamesAccepted, Status: apiv1.ConditionTrue, Reason: "NoConflicts", Message: "no conflicts found",
	}
	wanted, names := crd.Spec.Names, crd.Status.AcceptedNames
	refuse := func(reason string, err error) {
		condition.Status, condition.Reason, condition.Message = apiv1.ConditionFalse, reason, err.Error()
	}
	if t.blocked != "" {
		refuse("PluralConflict", errors.New(t.blocked))
		return names, condition
	}
	accept := func(reason, name string, accepted *string, taken map[string]string) {
		if err := free(name, *accepted, taken); err != nil {
			refuse(reason, err)
			return
		}
		*accepted = name
	}
	accept("PluralConflict", wanted.Plural, &names.Plural, t.resources)
	accept("SingularConflict", wanted.Singular, &names.Singular, t.resources)
	if err := freeShortNames(wanted.ShortNames, names.ShortNames, t.resources); err != nil {
		refuse("ShortNamesConflict", err)
	} else {
		names.ShortNames = wanted.ShortNames
	}
	accept("KindConflict", wanted.Kind, &names.Kind, t.kinds)
	accept("ListKindConflict", wanted.ListKind, &names.ListKind, t.kinds)
	names.Categories = wanted.Categories
	return names, condition
}

func freeShortNames(wanted, accepted []string, taken map[string]string) error {
	var texts []string
	for _, name := range wanted {
		if slices.Contains(accepted, name) {
			continue
		}
		if err := free(name, "", taken); err != nil && !slices.Contains(texts, err.Error()) {
			texts = append(texts, err.Error())
		}
	}
	switch len(texts) {
	case 0:
		return nil
	case 1:
		return errors.New(texts[0])
	}
	return fmt.Errorf("[%s]", strings.Join(texts, ", "))
}
