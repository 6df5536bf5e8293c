package crd

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// settle is the definition with the status that it should have: its names, and the conditions that follow from them and from its
// spec. It is nil where the status says so already. nonStructural is the condition that follows from the schemas, nil where none does.
func settle(crd *apiv1.CustomResourceDefinition, nonStructural *apiv1.CustomResourceDefinitionCondition, t taken) *apiv1.CustomResourceDefinition {
	out := *crd
	crd.Status.DeepCopyInto(&out.Status)
	names, accepted := acceptNames(crd, t)
	if !equality.Semantic.DeepEqual(crd.Spec.Names, crd.Status.AcceptedNames) || apihelpers.FindCRDCondition(crd, apiv1.NamesAccepted) == nil {
		out.Status.AcceptedNames = names
		setUnlessSame(&out, accepted)
	}
	establish(&out)
	if nonStructural != nil {
		setUnlessSame(&out, *nonStructural)
	} else {
		remove(&out, apiv1.NonStructuralSchema)
	}
	if condition := approvalCondition(crd); condition != nil {
		setUnlessSame(&out, *condition)
	}
	if equality.Semantic.DeepEqual(out.Status, crd.Status) {
		return nil
	}
	return &out
}

// establish serves a definition whose names have been accepted, and never takes that back.
func establish(crd *apiv1.CustomResourceDefinition) {
	switch {
	case apihelpers.IsCRDConditionTrue(crd, apiv1.Established):
	case apihelpers.IsCRDConditionTrue(crd, apiv1.NamesAccepted):
		setUnlessSame(crd, apiv1.CustomResourceDefinitionCondition{
			Type: apiv1.Established, Status: apiv1.ConditionTrue, Reason: "InitialNamesAccepted", Message: "the initial names have been accepted",
		})
	default:
		setUnlessSame(crd, apiv1.CustomResourceDefinitionCondition{
			Type: apiv1.Established, Status: apiv1.ConditionFalse, Reason: "NotAccepted", Message: "not all names are accepted",
		})
	}
}

// setUnlessSame sets a condition, and leaves one that says the same as it is.
func setUnlessSame(crd *apiv1.CustomResourceDefinition, condition apiv1.CustomResourceDefinitionCondition) {
	if !apihelpers.IsCRDConditionEquivalent(&condition, apihelpers.FindCRDCondition(crd, condition.Type)) {
		apihelpers.SetCRDCondition(crd, condition)
	}
}

func remove(crd *apiv1.CustomResourceDefinition, kind apiv1.CustomResourceDefinitionConditionType) {
	if apihelpers.FindCRDCondition(crd, kind) != nil {
		apihelpers.RemoveCRDCondition(crd, kind)
	}
}

// structuralCondition tells of schemas from before schemas had to be structural; nil: all are.
func structuralCondition(in *apiv1.CustomResourceDefinitionSpec) *apiv1.CustomResourceDefinitionCondition {
	condition := &apiv1.CustomResourceDefinitionCondition{Type: apiv1.NonStructuralSchema, Status: apiv1.ConditionUnknown}
	var errs field.ErrorList
	if in.PreserveUnknownFields {
		errs = append(errs, field.Invalid(field.NewPath("spec", "preserveUnknownFields"), true, "must be false"))
	}
	for i, v := range in.Versions {
		props, err := propsOf(&v)
		if err != nil || props == nil {
			continue
		}
		s, err := schema.NewStructural(props)
		if err != nil {
			condition.Reason = "StructuralError"
			condition.Message = fmt.Sprintf("failed to check validation schema for version %s: %v", v.Name, err)
			return condition
		}
		errs = append(errs, schema.ValidateStructural(field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema"), s)...)
	}
	if len(errs) == 0 {
		return nil
	}
	condition.Status, condition.Reason, condition.Message = apiv1.ConditionTrue, "Violations", errs.ToAggregate().Error()
	return condition
}

// approvalCondition tells whether a definition in a group of the Kubernetes community has that community's word; nil: it needs none.
func approvalCondition(crd *apiv1.CustomResourceDefinition) *apiv1.CustomResourceDefinitionCondition {
	if !apihelpers.IsProtectedCommunityGroup(crd.Spec.Group) {
		return nil
	}
	state, message := apihelpers.GetAPIApprovalState(crd.Annotations)
	condition := &apiv1.CustomResourceDefinitionCondition{Type: apiv1.KubernetesAPIApprovalPolicyConformant, Status: apiv1.ConditionFalse, Message: message}
	switch state {
	case apihelpers.APIApprovalInvalid:
		condition.Reason = "InvalidAnnotation"
	case apihelpers.APIApprovalMissing:
		condition.Reason = "MissingAnnotation"
	case apihelpers.APIApprovalBypassed:
		condition.Reason = "UnapprovedAnnotation"
	case apihelpers.APIApproved:
		condition.Status, condition.Reason = apiv1.ConditionTrue, "ApprovedAnnotation"
	default:
		condition.Status, condition.Reason = apiv1.ConditionUnknown, "UnknownAnnotation"
	}
	return condition
}

// propsOf is the schema of a version as the library's functions take it; nil: it has none.
func propsOf(v *apiv1.CustomResourceDefinitionVersion) (*apiextensions.JSONSchemaProps, error) {
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return nil, nil
	}
	out := &apiextensions.CustomResourceValidation{}
	if err := apiv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(v.Schema, out, nil); err != nil {
		return nil, err
	}
	return out.OpenAPIV3Schema, nil
}
