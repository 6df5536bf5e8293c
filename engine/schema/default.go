package schema

// Default puts the schema's defaults where fields are missing, into objects that exist, as CustomResourceDefinitions do.
//
//   - A null in a field that is not nullable becomes the default.
//   - The input itself is returned, unallocated, when nothing is missing.
//   - The error is a *SizeError or a *SyntaxError.
func (s *Schema) Default(obj []byte) ([]byte, error) {
	if !s.root.hasDefaults {
		return obj, nil
	}
	d := defaulter{scanner: scanner{in: obj}}
	if err := d.value(s.root); err != nil {
		return nil, err
	}
	if err := d.end(); err != nil {
		return nil, err
	}
	return d.edits.apply(obj), nil
}

// defaulter is one Default under way.
type defaulter struct {
	scanner
	edits edits
	// expand, while a schema is compiled, makes a default ready before it is used.
	expand func(*use) error
}

func (d *defaulter) value(n *node) error {
	switch c := d.peek(); {
	case c == '{' && n.hasDefaults:
		return d.object(n)
	case c == '[' && n.hasDefaults && n.items != nil:
		return d.array(n)
	}
	return d.skip()
}

func (d *defaulter) object(n *node) error {
	if empty, err := d.enter('}'); err != nil {
		return err
	} else if empty {
		return d.insertRest(n, 0, d.pos-1, true)
	}
	hint, next := 0, 0
	for {
		start := d.pos
		key, err := d.key()
		if err != nil {
			return err
		}
		if next, err = d.insertBefore(n, next, start, key); err != nil {
			return err
		}
		if err := d.member(n, key, &hint); err != nil {
			return err
		}
		if more, err := d.more('}'); err != nil {
			return err
		} else if !more {
			return d.insertRest(n, next, d.pos-1, false)
		}
	}
}

func (d *defaulter) member(n *node, key []byte, hint *int) error {
	u := n.additional
	if p := n.find(key, hint); p != nil {
		u = p.own
	}
	return d.place(u)
}

// place completes the value at hand, which stands at that use; nil: nothing is known of it.
func (d *defaulter) place(u *use) error {
	switch {
	case u == nil:
		return d.skip()
	case d.peek() != 'n' || u.nullable || u.raw == nil:
		return d.value(u.node)
	}
	start := d.pos
	if err := d.word("null"); err != nil {
		return err
	}
	if err := d.ready(u); err != nil {
		return err
	}
	return d.replace(start, d.pos, u.def)
}

func (d *defaulter) array(n *node) error {
	if empty, err := d.enter(']'); empty || err != nil {
		return err
	}
	for {
		if err := d.place(n.items); err != nil {
			return err
		}
		if more, err := d.more(']'); !more || err != nil {
			return err
		}
	}
}

// insertBefore inserts the defaults, from the next one on, whose keys come before key. It returns the first one that
// comes after key.
func (d *defaulter) insertBefore(n *node, next, at int, key []byte) (int, error) {
	for ; next < len(n.defaults); next++ {
		p := &n.props[n.defaults[next]]
		if p.key > string(key) {
			break
		}
		if p.key == string(key) {
			return next + 1, nil
		}
		if err := d.insert(p.own, at, false, true); err != nil {
			return 0, err
		}
	}
	return next, nil
}

// insertRest inserts the defaults, from the next one on, at the end of an object.
func (d *defaulter) insertRest(n *node, next, at int, empty bool) error {
	for ; next < len(n.defaults); next++ {
		if err := d.insert(n.props[n.defaults[next]].own, at, !empty, false); err != nil {
			return err
		}
		empty = false
	}
	return nil
}

// insert inserts a member with the commas that it needs.
func (d *defaulter) insert(u *use, at int, before, after bool) error {
	if err := d.ready(u); err != nil {
		return err
	}
	text := u.member
	if !before {
		text = text[1:]
	}
	if !after {
		text = text[:len(text)-1]
	}
	return d.replace(at, at, text)
}

func (d *defaulter) replace(start, end int, text []byte) error {
	d.edits.replace(start, end, text)
	if d.edits.tooLarge(d.in) {
		return &SizeError{Limit: maxOutput}
	}
	return nil
}

func (d *defaulter) ready(u *use) error {
	if d.expand == nil {
		return nil
	}
	return d.expand(u)
}
