package table

import "github.com/tidwall/gjson"

// AppendMetadata appends the PartialObjectMetadata of an object, in a version of meta.k8s.io ("meta.k8s.io/v1" where it is empty).
func AppendMetadata(buf []byte, apiVersion string, item []byte) []byte {
	buf = appendTypeMeta(buf, "PartialObjectMetadata", apiVersion)
	buf = append(buf, `,"metadata":`...)
	if metadata := gjson.GetBytes(item, "metadata"); metadata.IsObject() {
		buf = append(buf, metadata.Raw...)
	} else {
		buf = append(buf, "{}"...)
	}
	return append(buf, '}')
}

// AppendMetadataListStart appends a PartialObjectMetadataList up to its first item.
func AppendMetadataListStart(buf []byte, apiVersion string, list ListMeta) []byte {
	return append(appendListStart(buf, "PartialObjectMetadataList", apiVersion, list), `,"items":[`...)
}

func appendTypeMeta(buf []byte, kind, apiVersion string) []byte {
	if apiVersion == "" {
		apiVersion = "meta.k8s.io/v1"
	}
	buf = append(buf, `{"kind":"`...)
	buf = append(buf, kind...)
	buf = append(buf, `","apiVersion":`...)
	buf = gjson.AppendJSONString(buf, apiVersion)
	return buf
}
