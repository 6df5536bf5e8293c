package main

import (
	"context"
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// directoryName is the ConfigMap that says where each Site of a namespace is. It belongs to none of them.
const directoryName = "site-directory"

func directoryIn(namespace string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: directoryName}}
}

// list writes a Site into the directory.
func (r *reconciler) list(ctx context.Context, site *Site) error {
	directory := directoryIn(site.Namespace)
	_, err := controllerutil.CreateOrUpdate(ctx, r.client, directory, func() error {
		if directory.Data == nil {
			directory.Data = map[string]string{}
		}
		directory.Data[site.Name] = site.Spec.Host
		return nil
	})
	return err
}

// unlist takes a Site out of the directory, whatever the cache knows of that.
func (r *reconciler) unlist(ctx context.Context, site *Site) error {
	patch, err := json.Marshal(map[string]any{"data": map[string]any{site.Name: nil}})
	if err != nil {
		return err
	}
	return client.IgnoreNotFound(r.client.Patch(ctx, directoryIn(site.Namespace), client.RawPatch(types.MergePatchType, patch)))
}
