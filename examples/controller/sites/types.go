package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status

// Site is a web site of a few static pages.
type Site struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   SiteSpec   `json:"spec"`
	Status SiteStatus `json:"status,omitempty"`
}

// SiteSpec is what the owner wants.
type SiteSpec struct {
	// Host is where the site is to be found.
	// +kubebuilder:validation:Pattern=`^[a-z0-9.-]+$`
	Host string `json:"host"`
	// Language is that of pages that do not say.
	// +kubebuilder:default=en
	Language string `json:"language,omitempty"`
	// Pages are the pages, by name.
	// +optional
	Pages map[string]string `json:"pages,omitempty"`
}

// SiteStatus is what the controller has made of it.
type SiteStatus struct {
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	Pages              int32 `json:"pages,omitempty"`
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// +kubebuilder:object:root=true

// SiteList is many Sites.
type SiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Site `json:"items"`
}

// groupVersion is that of crd.yaml.
var groupVersion = schema.GroupVersion{Group: "web.example.org", Version: "v1"}

// addSites makes Sites known to clients.
func addSites(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(groupVersion, &Site{}, &SiteList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	return nil
}
