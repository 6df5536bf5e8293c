package engine

import "bytes"

// This file knows metadata that is certainly valid, which nearly all metadata is, by one look at its bytes. It says no to
// whatever is out of the ordinary: apimachinery's validation decides about that, and finds the words.

// maxLabelBytes is how long a part of a name, the name of a label and its value may be.
const maxLabelBytes = 63

// plainMeta tells whether metadata, without managedFields, is certainly valid.
func plainMeta(meta Fields, namespaced bool) bool {
	named, placed := false, !namespaced
	for i := range meta {
		value, ok := meta[i].Value, true
		switch meta[i].Key {
		case "name":
			ok = plainName(plainText(value))
			named = ok
		case "namespace":
			ok = namespaced && plainLabel(plainText(value))
			placed = ok
		case "labels":
			ok = plainPairs(value, true)
		case "annotations":
			ok = len(value) <= maxAnnotationBytes && plainPairs(value, false)
		case "creationTimestamp":
			ok = plainTime(plainText(value))
		case "generation":
			ok = len(value) < 18 && value[0] != '-'
		case "uid":
		default:
			return false
		}
		if !ok {
			return false
		}
	}
	return named && placed
}

// maxAnnotationBytes is how much the annotations of an object may be, as in Kubernetes.
const maxAnnotationBytes = 256 << 10

// plainMetaUpdate tells whether a change of plain metadata is certainly allowed.
func plainMetaUpdate(meta, old Fields) bool {
	for _, key := range [...]string{"name", "namespace", "uid", "creationTimestamp"} {
		if !bytes.Equal(meta.Get(key), old.Get(key)) {
			return false
		}
	}
	return old.Get("deletionTimestamp") == nil && old.Get("deletionGracePeriodSeconds") == nil && meta.Int("generation") >= old.Int("generation")
}

// plainText is what stands between the quotes of a string without escapes; nil for anything else.
func plainText(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' || bytes.IndexByte(raw, '\\') >= 0 {
		return nil
	}
	return raw[1 : len(raw)-1]
}

// plainPairs tells whether an object of strings has keys that are qualified names; as labels its values have rules, too.
func plainPairs(raw []byte, labels bool) bool {
	if len(raw) < 2 || raw[0] != '{' {
		return false
	}
	for i := 1; i < len(raw) && raw[i] == '"'; {
		keyEnd := skipString(raw, i)
		end := skipValue(raw, keyEnd+1)
		key, value := raw[i+1:keyEnd-1], raw[keyEnd+1:end]
		if !plainKey(key) || value[0] != '"' {
			return false
		}
		if text := plainText(value); labels && (text == nil || len(text) > 0 && !plainLabelText(text)) {
			return false
		}
		i = end + 1
	}
	return true
}

// plainKey tells whether a key is a qualified name: a label's text, behind a subdomain and a slash or not.
func plainKey(key []byte) bool {
	if slash := bytes.IndexByte(key, '/'); slash >= 0 {
		return plainName(key[:slash]) && plainLabelText(key[slash+1:])
	}
	return plainLabelText(key)
}

// plainName tells whether a text is a DNS subdomain.
func plainName(text []byte) bool {
	if len(text) > 253 {
		return false
	}
	for {
		dot := bytes.IndexByte(text, '.')
		if dot < 0 {
			return plainLabel(text)
		}
		if !plainLabel(text[:dot]) {
			return false
		}
		text = text[dot+1:]
	}
}

// plainLabel tells whether a text is a DNS label.
func plainLabel(text []byte) bool {
	if len(text) == 0 || len(text) > maxLabelBytes || text[0] == '-' || text[len(text)-1] == '-' {
		return false
	}
	for _, c := range text {
		if c != '-' && !isLower(c) && !isDigit(c) {
			return false
		}
	}
	return true
}

// plainLabelText tells whether a text may be the name or the value of a label.
func plainLabelText(text []byte) bool {
	if len(text) == 0 || len(text) > maxLabelBytes || !isAlphanumeric(text[0]) || !isAlphanumeric(text[len(text)-1]) {
		return false
	}
	for _, c := range text {
		if c != '-' && c != '_' && c != '.' && !isAlphanumeric(c) {
			return false
		}
	}
	return true
}

// plainTime tells whether a text is a time as the server writes it.
func plainTime(text []byte) bool {
	const form = "0000-00-00T00:00:00Z"
	if len(text) != len(form) {
		return false
	}
	for i, c := range text {
		if form[i] == '0' && !isDigit(c) || form[i] != '0' && c != form[i] {
			return false
		}
	}
	return true
}

func isLower(c byte) bool        { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool        { return c >= '0' && c <= '9' }
func isAlphanumeric(c byte) bool { return isLower(c|0x20) || isDigit(c) }
