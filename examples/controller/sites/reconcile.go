package main

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/recorder"
)

// reconciler keeps the pages of each Site in a ConfigMap of the same name, and lists the Sites of a namespace in its directory.
type reconciler struct {
	client client.Client
	events recorder.EventRecorder
}

// finalizer keeps a Site until it is out of the directory.
const finalizer = "web.example.org/directory"

// Reconcile brings the world in line with one Site.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	site := &Site{}
	if err := r.client.Get(ctx, request.NamespacedName, site); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !site.DeletionTimestamp.IsZero() {
		return reconcile.Result{}, r.retire(ctx, site)
	}
	if controllerutil.AddFinalizer(site, finalizer) {
		return reconcile.Result{}, r.client.Update(ctx, site) // which brings us here again
	}
	if err := r.publish(ctx, site); err != nil {
		return reconcile.Result{}, err
	}
	if err := r.list(ctx, site); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, r.report(ctx, site)
}

// publish writes the pages. The ConfigMap is the Site's and goes with it.
func (r *reconciler) publish(ctx context.Context, site *Site) error {
	pages := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.client, pages, func() error {
		pages.Data = maps.Clone(site.Spec.Pages)
		metav1.SetMetaDataAnnotation(&pages.ObjectMeta, "web.example.org/language", site.Spec.Language)
		return controllerutil.SetControllerReference(site, pages, r.client.Scheme())
	})
	return err
}

// report writes the status and tells of it by an event, once for each generation.
func (r *reconciler) report(ctx context.Context, site *Site) error {
	if site.Status.ObservedGeneration == site.Generation {
		return nil
	}
	site.Status.ObservedGeneration, site.Status.Pages = site.Generation, int32(len(site.Spec.Pages))
	meta.SetStatusCondition(&site.Status.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Published", Message: "all pages are there", ObservedGeneration: site.Generation,
	})
	if err := r.client.Status().Update(ctx, site); err != nil {
		return err
	}
	r.events.Eventf(site, nil, corev1.EventTypeNormal, "Published", "Publish", "%d pages at %s", len(site.Spec.Pages), site.Spec.Host)
	return nil
}

// retire undoes what does not go by itself, and lets the Site go.
func (r *reconciler) retire(ctx context.Context, site *Site) error {
	if !controllerutil.ContainsFinalizer(site, finalizer) {
		return nil
	}
	if err := r.unlist(ctx, site); err != nil {
		return err
	}
	controllerutil.RemoveFinalizer(site, finalizer)
	return client.IgnoreNotFound(r.client.Update(ctx, site))
}
