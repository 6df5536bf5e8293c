package schema

import (
	"strings"

	"k8s.io/kube-openapi/pkg/validation/strfmt"
)

// formats are the formats of strings that Kubernetes checks in custom resources, without their dashes. Others are ignored.
var formats = map[string]bool{
	"bsonobjectid": true, "uri": true, "email": true, "hostname": true, "ipv4": true, "ipv6": true, "cidr": true,
	"mac": true, "uuid": true, "uuid3": true, "uuid4": true, "uuid5": true, "isbn": true, "isbn10": true, "isbn13": true,
	"creditcard": true, "ssn": true, "hexcolor": true, "rgbcolor": true, "byte": true, "date": true, "duration": true,
	"datetime": true, "k8sshortname": true, "k8slongname": true,
}

// checkedFormat is the format that Validate checks the node's strings for, or "".
func checkedFormat(n *node) string {
	if n.kinds&stringKind != 0 && !n.time && formats[strings.ReplaceAll(n.format, "-", "")] && strfmt.Default.ContainsName(n.format) {
		return n.format
	}
	return ""
}

// hasFormat tells whether a text is of a format.
func hasFormat(format string, text []byte) bool {
	return format == "date-time" && isPlainTime(text) || strfmt.Default.Validates(format, string(text))
}
