package engine

import "strconv"

// Listed is one object of a list or watch: without its resourceVersion, which goes in when it is written.
type Listed struct {
	Object   Object
	Revision int64
	place    int32 // where the resourceVersion goes in; 0: not known
}

// AppendServed appends the object with its resourceVersion.
func (l Listed) AppendServed(out []byte) []byte {
	if l.place == 0 {
		l.place = l.Object.versionPlace()
	}
	return l.Object.appendServedAt(out, l.Revision, l.place)
}

// Served is the object with its resourceVersion.
func (l Listed) Served() Object { return l.AppendServed(make([]byte, 0, len(l.Object)+40)) }

// listed is an object that was made of an item, for a list.
func (s *Store) listed(item *Item, obj Object, info *RequestInfo) Listed {
	_, place := item.Memo.get(s.Resource, info.Version)
	return Listed{obj, item.Revision, place}
}

// versionPlace is where in the object its resourceVersion goes in; -1 where it has no metadata.
func (o Object) versionPlace() int32 {
	for i := 1; i < len(o) && o[i] == '"'; {
		keyEnd := skipString(o, i)
		if string(o[i+1:keyEnd-1]) != "metadata" {
			i = skipValue(o, keyEnd+1) + 1
			continue
		}
		if i = keyEnd + 1; o[i] != '{' {
			return -1
		}
		for i++; o[i] == '"'; {
			keyEnd = skipString(o, i)
			if string(o[i+1:keyEnd-1]) > "resourceVersion" {
				return int32(i)
			}
			if i = skipValue(o, keyEnd+1); o[i] == ',' {
				i++
				continue
			}
			return int32(i)
		}
		return int32(i)
	}
	return -1
}

// appendServedAt is AppendServed for a place that is known: with managed fields in front of it, it takes longer to find than
// the object to copy.
func (o Object) appendServedAt(out []byte, revision int64, place int32) []byte {
	if place < 0 {
		return append(out, o...)
	}
	out = append(out, o[:place]...)
	if o[place] == '}' && o[place-1] != '{' {
		out = append(out, ',')
	}
	out = append(out, `"resourceVersion":"`...)
	out = strconv.AppendInt(out, revision, 10)
	out = append(out, '"')
	if o[place] == '"' {
		out = append(out, ',')
	}
	return append(out, o[place:]...)
}
