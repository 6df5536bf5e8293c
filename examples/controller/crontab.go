package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// CronTab is the kind that the server's crontabs plugin defines.
type CronTab struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              CronTabSpec   `json:"spec,omitempty"`
	Status            CronTabStatus `json:"status,omitempty"`
}

// CronTabSpec is what the user wants.
type CronTabSpec struct {
	CronSpec string `json:"cronSpec"`
	Image    string `json:"image"`
	Replicas *int32 `json:"replicas,omitempty"`
	Suspend  bool   `json:"suspend,omitempty"`
}

// CronTabStatus is what the controller has made of it.
type CronTabStatus struct {
	Replicas      int32  `json:"replicas,omitempty"`
	LabelSelector string `json:"labelSelector,omitempty"`
}

// CronTabList is many CronTabs.
type CronTabList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []CronTab `json:"items"`
}

// DeepCopyObject copies.
func (c *CronTab) DeepCopyObject() runtime.Object {
	out := *c
	c.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if c.Spec.Replicas != nil {
		replicas := *c.Spec.Replicas
		out.Spec.Replicas = &replicas
	}
	return &out
}

// DeepCopyObject copies.
func (l *CronTabList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = make([]CronTab, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopyObject().(*CronTab)
	}
	return &out
}

// addCronTabs makes CronTabs known to clients.
func addCronTabs(scheme *runtime.Scheme) error {
	version := schema.GroupVersion{Group: "example.com", Version: "v1"}
	scheme.AddKnownTypes(version, &CronTab{}, &CronTabList{})
	metav1.AddToGroupVersion(scheme, version)
	return nil
}
