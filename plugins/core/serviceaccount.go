package main

import "github.com/stratagem-dev/stratagem/sdk"

// ServiceAccount is the life of a ServiceAccount.
type ServiceAccount struct{}

// PrepareForCreate leaves only the names in the references to secrets.
func (ServiceAccount) PrepareForCreate(_ *sdk.Context, account *sdk.Object) { cleanSecrets(account) }

// PrepareForUpdate leaves only the names in the references to secrets.
func (ServiceAccount) PrepareForUpdate(_ *sdk.Context, account, _ *sdk.Object) { cleanSecrets(account) }

func cleanSecrets(account *sdk.Object) {
	for _, secret := range account.EditEach("secrets") {
		name := secret.Get("name")
		secret.SetRaw("{}")
		if name.String() != "" {
			secret.Set(name, "name")
		}
	}
}

// WarningsOnCreate tells of an annotation that is deprecated.
func (ServiceAccount) WarningsOnCreate(_ *sdk.Context, account *sdk.Object) []string {
	return mountableWarnings(account)
}

// WarningsOnUpdate tells of an annotation that is deprecated, when it is new.
func (ServiceAccount) WarningsOnUpdate(_ *sdk.Context, account, old *sdk.Object) []string {
	if old.Exists("metadata", "annotations", enforceMountable) {
		return nil
	}
	return mountableWarnings(account)
}

const enforceMountable = "kubernetes.io/enforce-mountable-secrets"

func mountableWarnings(account *sdk.Object) []string {
	if !account.Exists("metadata", "annotations", enforceMountable) {
		return nil
	}
	return []string{"metadata.annotations[" + enforceMountable + "]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"}
}

// AllowUnconditionalUpdate is true for ServiceAccounts.
func (ServiceAccount) AllowUnconditionalUpdate() bool { return true }

// ReturnDeletedObject is true for ServiceAccounts.
func (ServiceAccount) ReturnDeletedObject() bool { return true }

var serviceAccountColumns = []sdk.Column{
	nameColumn,
	{Name: "Secrets", Type: "string", Description: "How many secrets pods of this account may use."},
	ageColumn,
}

// ConvertToTable counts the secrets.
func (ServiceAccount) ConvertToTable(_ *sdk.Context, accounts []*sdk.Object) (rows [][]sdk.Cell) {
	for _, account := range accounts {
		rows = append(rows, []sdk.Cell{account.Get("secrets").Len()})
	}
	return rows
}

var (
	_ sdk.CreatePreparer             = ServiceAccount{}
	_ sdk.CreateWarner               = ServiceAccount{}
	_ sdk.UpdatePreparer             = ServiceAccount{}
	_ sdk.UpdateWarner               = ServiceAccount{}
	_ sdk.UnconditionalUpdateAllower = ServiceAccount{}
	_ sdk.DeletedObjectReturner      = ServiceAccount{}
	_ sdk.TableConvertor             = ServiceAccount{}
)
