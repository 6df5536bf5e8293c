package engine

// parts are an object taken apart by two levels: its own members and those of metadata, to be changed and put together again
// in one go. The values are not copied.
type parts struct {
	top  Fields // what stands under metadata is in meta
	meta Fields
}

// parts takes the object apart.
func (o Object) parts() parts {
	p := parts{top: make(Fields, 0, 6), meta: make(Fields, 0, 12)}
	for i := 1; i < len(o) && o[i] == '"'; {
		keyEnd := skipString(o, i)
		key, begin, end := internKey(o[i+1:keyEnd-1]), keyEnd+1, 0
		if key == "metadata" && o[begin] == '{' {
			p.meta, end = appendFields(p.meta, o, begin)
		} else {
			end = skipValue(o, begin)
		}
		p.top = append(p.top, Field{key, o[begin:end]})
		i = end + 1
	}
	return p
}

// take removes a member of metadata and returns its raw value, nil when there is none.
func (p *parts) take(key string) []byte {
	raw := p.meta.Get(key)
	p.meta.Set(key, nil)
	return raw
}

// object puts the object together again.
func (p *parts) object() Object {
	p.top.Set("metadata", null) // its place, where there has been none
	size := p.meta.size() + p.top.size()
	out := append(make(Object, 0, size), '{')
	for i := range p.top {
		if out = appendKey(out, i, p.top[i].Key); p.top[i].Key == "metadata" {
			out = p.meta.appendTo(out)
		} else {
			out = append(out, p.top[i].Value...)
		}
	}
	return append(out, '}')
}
