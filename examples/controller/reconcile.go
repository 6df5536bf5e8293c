package main

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// reconciler keeps a Deployment of the same name for each CronTab, and reports it in the CronTab's status.
type reconciler struct{ client client.Client }

// Reconcile brings one CronTab's Deployment and status in line with its spec.
func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	cronTab := &CronTab{}
	if err := r.client.Get(ctx, request.NamespacedName, cronTab); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: cronTab.Namespace, Name: cronTab.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.client, deployment, func() error { return r.shape(cronTab, deployment) })
	if err != nil {
		return reconcile.Result{}, err
	}
	status := CronTabStatus{Replicas: *deployment.Spec.Replicas, LabelSelector: metav1.FormatLabelSelector(deployment.Spec.Selector)}
	if cronTab.Status == status {
		return reconcile.Result{}, nil
	}
	cronTab.Status = status
	return reconcile.Result{}, r.client.Status().Update(ctx, cronTab)
}

// shape writes into a Deployment what its CronTab asks for; the rest of it stays.
func (r *reconciler) shape(cronTab *CronTab, deployment *appsv1.Deployment) error {
	labels := map[string]string{"crontab": cronTab.Name}
	replicas := int32(0)
	if cronTab.Spec.Replicas != nil && !cronTab.Spec.Suspend {
		replicas = *cronTab.Spec.Replicas
	}
	deployment.Spec.Replicas = &replicas
	deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	deployment.Spec.Template.Labels = labels
	containers := &deployment.Spec.Template.Spec.Containers
	if len(*containers) == 0 {
		*containers = []corev1.Container{{Name: "job", Env: []corev1.EnvVar{{Name: "SCHEDULE"}}}}
	}
	(*containers)[0].Image = cronTab.Spec.Image
	(*containers)[0].Env[0].Value = cronTab.Spec.CronSpec
	return controllerutil.SetControllerReference(cronTab, deployment, r.client.Scheme())
}
