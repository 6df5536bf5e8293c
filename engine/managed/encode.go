package managed

// appendSet appends what is below the root of a set as FieldsV1.
func (t *tree) appendSet(out []byte, root int32) []byte {
	return append(t.appendBelow(append(out, '{'), root, true), '}')
}

// appendBelow appends the members for what is below a node.
func (t *tree) appendBelow(out []byte, at int32, first bool) []byte {
	for c := t.nodes[at].first; c != 0; c = t.nodes[c].next {
		if !first {
			out = append(out, ',')
		}
		first = false
		n := &t.nodes[c]
		out = append(append(append(out, '"', n.kind, ':'), n.key...), `":{`...)
		dot := n.first != 0 && n.flags&owned != 0
		if dot {
			out = append(out, `".":{}`...)
		}
		out = append(t.appendBelow(out, c, !dot), '}')
	}
	return out
}
