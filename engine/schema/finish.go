package schema

import "slices"

// finish computes what follows from the whole graph: which parts have defaults and rules, and the defaults with the
// defaults inside them.
func (c *compiler) finish() error {
	for _, n := range c.nodes {
		n.hasRules = n.rules != nil
		for i := range n.props {
			if own := n.props[i].own; own != nil && own.raw != nil {
				n.defaults = append(n.defaults, i)
			}
		}
		n.children(func(u *use) { n.hasDefaults = n.hasDefaults || u.raw != nil })
	}
	c.spread()
	for _, u := range c.uses {
		if err := c.expand(u); err != nil {
			return err
		}
	}
	return nil
}

// spread carries the flags of nodes up to all nodes above them, until nothing changes.
func (c *compiler) spread() {
	above := map[*node][]*node{}
	var changed []*node
	for _, n := range c.nodes {
		n.children(func(u *use) { above[u.node] = append(above[u.node], n) })
		if n.hasRules || n.hasDefaults {
			changed = append(changed, n)
		}
	}
	for len(changed) > 0 {
		n := changed[len(changed)-1]
		changed = changed[:len(changed)-1]
		for _, up := range above[n] {
			if n.hasRules && !up.hasRules || n.hasDefaults && !up.hasDefaults {
				up.hasRules = up.hasRules || n.hasRules
				up.hasDefaults = up.hasDefaults || n.hasDefaults
				changed = append(changed, up)
			}
		}
	}
}

// expand checks a default against its type and puts the defaults inside it in place.
func (c *compiler) expand(u *use) error {
	path := c.paths[u] + "/default"
	switch {
	case u.raw == nil || u.def != nil:
		return nil
	case c.expanding[u]:
		return fail(path, "a default must not contain itself")
	}
	c.expanding[u] = true
	defer delete(c.expanding, u)
	check := decoder{scanner: scanner{in: u.raw}}
	if err := check.value(u.node, false, nil); err != nil {
		return fail(path, "%v", err)
	}
	if len(check.unknown) > 0 {
		return fail(path, "has the unknown field %q", check.unknown[0])
	}
	if len(check.edits.list) > 0 {
		return fail(path, "has a null where none may be")
	}
	fill := defaulter{scanner: scanner{in: u.raw}, expand: c.expand}
	if err := fill.value(u.node); err != nil {
		return err
	}
	size := len(u.raw) + fill.edits.grow
	if c.defaultBytes += size; c.defaultBytes > maxDefaultBytes {
		return fail(path, "the defaults of the schema are larger than %d bytes", maxDefaultBytes)
	}
	u.def = fill.edits.apply(u.raw)
	if u.prefix != nil {
		u.member = slices.Concat(u.prefix, u.def, []byte{','})
	}
	return nil
}
