package podspec

import (
	"strings"

	"github.com/stratagem-dev/stratagem/plugins/internal/tree"
)

func (c *check) iscsi(source tree.Node, name string, path place) {
	at := path.child("iscsi")
	c.present(source, "targetPortal", at)
	if c.present(source, "iqn", at) {
		c.initiator(source.Get("iqn").String(), at.child("iqn"))
	}
	c.lun(source.Get("lun"), at)
	if (source.Get("chapAuthDiscovery").True() || source.Get("chapAuthSession").True()) && !source.Has("secretRef") {
		c.required(at.child("secretRef"), "")
	}
	initiator := source.Get("initiatorName")
	if !initiator.Exists() {
		return
	}
	c.initiator(initiator.String(), at.child("initiatorname"))
	if len(name+":"+source.Get("targetPortal").String()) > 64 {
		c.invalid(path.child("name"), name,
			"Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.")
	}
}

// initiator checks an iSCSI name of one of the three formats.
func (c *check) initiator(name string, path place) {
	valid := false
	switch {
	case strings.HasPrefix(name, "iqn"):
		valid = isQualifiedISCSI(name)
	case strings.HasPrefix(name, "eui"):
		valid = len(name) == 20 && isAlphanumeric(name[4:])
	case strings.HasPrefix(name, "naa"):
		valid = len(name) == 36 && isAlphanumeric(name[4:])
	default:
		c.invalid(path, name, "must be valid format starting with iqn, eui, or naa")
		return
	}
	if !valid {
		c.invalid(path, name, "must be valid format")
	}
}

// isQualifiedISCSI checks iqn.YYYY-MM.authority:target.
func isQualifiedISCSI(name string) bool {
	authority, target, ok := strings.Cut(name, ":")
	if !ok || target == "" || strings.ContainsAny(target, ",;*&$| \t\r\n\f\v") || len(authority) < len("iqn.2000-01.a") {
		return false
	}
	date := authority[4:12]
	return authority[3] == '.' && isNumeric(date[:4]) && date[4] == '-' && isNumeric(date[5:7]) && date[7] == '.' &&
		isAlphanumeric(strings.NewReplacer(".", "", "-", "").Replace(authority[12:])+"x")
}

func isNumeric(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func isAlphanumeric(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i] | 0x20; !('a' <= c && c <= 'z' || '0' <= s[i] && s[i] <= '9') {
			return false
		}
	}
	return s != ""
}
