package sdk

// hook is the number of a hook in the guest ABI.
type hook uint32

const (
	hookDefault hook = iota + 1
	hookPrepareForCreate
	hookValidate
	hookWarningsOnCreate
	hookPrepareForUpdate
	hookValidateUpdate
	hookWarningsOnUpdate
	hookCanonicalize
	hookCheckGracefulDelete
	hookCreateSubresource
	hookConvertToTable
	hookConvert
	hookTTL
	hookDecorate
	hookShouldDeleteDuringUpdate
	hookEnd
)

var hookNames = [hookEnd]string{
	hookDefault:             "Default",
	hookPrepareForCreate:    "PrepareForCreate",
	hookValidate:            "Validate",
	hookWarningsOnCreate:    "WarningsOnCreate",
	hookPrepareForUpdate:    "PrepareForUpdate",
	hookValidateUpdate:      "ValidateUpdate",
	hookWarningsOnUpdate:    "WarningsOnUpdate",
	hookCanonicalize:        "Canonicalize",
	hookCheckGracefulDelete: "CheckGracefulDelete",
	hookCreateSubresource:   "CreateSubresource",
	hookConvertToTable:      "ConvertToTable",
	hookConvert:             "Convert",
	hookTTL:                 "TTL",
	hookDecorate:            "Decorate",

	hookShouldDeleteDuringUpdate: "ShouldDeleteDuringUpdate",
}

func (h hook) bit() uint64 { return 1 << h }
