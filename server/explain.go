package server

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// StatusOf is the Status that a client gets for an error of the engine.
func StatusOf(err error) *metav1.Status { return statusOf(err, nil) }
