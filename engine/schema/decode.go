package schema

// Bounds on the unknown fields that Decode reports: as many as Kubernetes does, and no more text than a response can carry.
const (
	maxUnknown      = 100
	maxUnknownBytes = 64 << 10
)

// Decoded is an object that agrees with its schema.
type Decoded struct {
	// Object is in canonical form; the input itself, unallocated, when nothing had to go.
	Object []byte
	// Unknown are the paths of the fields that the schema does not know and that were pruned, in order:
	// "spec.containers[0].foo". At most the first hundred.
	Unknown []string
}

// Decode checks the types of an object's values and prunes what the schema does not know.
//
//   - apiVersion, kind and metadata are always known; metadata is checked as Kubernetes' ObjectMeta.
//   - A null is dropped, as Go's decoding drops it, unless the field is nullable. As the element of an array it becomes
//     the default of the elements, or is a *TypeError; as the value of a map it becomes the default or is dropped.
//   - The error is a *TypeError for the first value of a wrong type, a *SyntaxError, or a *SizeError.
func (s *Schema) Decode(obj []byte) (Decoded, error) {
	d := decoder{scanner: scanner{in: obj}}
	if err := d.value(s.root, false, nil); err != nil {
		return Decoded{}, err
	}
	if err := d.end(); err != nil {
		return Decoded{}, err
	}
	return Decoded{Object: d.edits.apply(obj), Unknown: d.unknown}, nil
}

// decoder is one Decode under way.
type decoder struct {
	scanner
	edits        edits
	unknown      []string
	unknownBytes int
}

// value checks the value at hand. keep: unknown fields stay, though the node does not say so.
func (d *decoder) value(n *node, keep bool, at *frame) error {
	switch d.peek() {
	case '{':
		switch {
		case n.kinds&objectKind == 0:
			return mismatch(n, "object", at)
		case n.opaque:
			return d.skip()
		}
		return d.object(n, keep || n.preserve, at)
	case '[':
		switch {
		case n.kinds&arrayKind == 0:
			return mismatch(n, "array", at)
		case n.items == nil:
			return d.skip()
		}
		return d.array(n, keep || n.preserve, at)
	case '"':
		if n.kinds&stringKind == 0 {
			return mismatch(n, "string", at)
		}
		if n.time {
			return d.time(at)
		}
		return d.text()
	case 't', 'f':
		if n.kinds&booleanKind == 0 {
			return mismatch(n, "bool", at)
		}
		return d.skip()
	case 'n':
		return mismatch(n, "null", at)
	}
	return d.numeric(n, at)
}

func (d *decoder) numeric(n *node, at *frame) error {
	text, err := d.number()
	switch {
	case err != nil:
		return err
	case n.kinds&numberKind != 0:
		return nil
	case n.kinds&integerKind == 0:
		return mismatch(n, "number", at)
	case !isInteger(text, n.width):
		return mismatch(n, "number "+string(text), at)
	}
	return nil
}

func (d *decoder) object(n *node, keep bool, at *frame) error {
	if empty, err := d.enter('}'); empty || err != nil {
		return err
	}
	here := frame{up: at}
	kept, hint := 0, 0
	for {
		start := d.pos
		key, err := d.key()
		if err != nil {
			return err
		}
		here.key = key
		drop, err := d.member(n, keep, &here, &hint)
		if err != nil {
			return err
		}
		if drop {
			d.edits.cut(d.in, start, d.pos, kept == 0)
		} else {
			kept++
		}
		if more, err := d.more('}'); !more || err != nil {
			return err
		}
	}
}

// member checks the value of a key and tells whether both have to go.
func (d *decoder) member(n *node, keep bool, here *frame, hint *int) (drop bool, err error) {
	if p := n.find(here.key, hint); p != nil {
		if d.peek() == 'n' {
			return !p.use.nullable, d.word("null")
		}
		return false, d.value(p.use.node, false, here)
	}
	if n.additional != nil {
		if d.peek() == 'n' {
			return d.null(n.additional)
		}
		return false, d.value(n.additional.node, false, here)
	}
	if !keep {
		d.report(here)
	}
	return !keep, d.skip()
}

// null passes over the null that is the value of a map, and tells whether it has to go.
func (d *decoder) null(u *use) (drop bool, err error) {
	start := d.pos
	switch err := d.word("null"); {
	case err != nil || u.nullable:
		return false, err
	case u.def == nil:
		return true, nil
	}
	d.edits.replace(start, d.pos, u.def)
	if d.edits.tooLarge(d.in) {
		return false, &SizeError{Limit: maxOutput}
	}
	return false, nil
}

func (d *decoder) array(n *node, keep bool, at *frame) error {
	if empty, err := d.enter(']'); empty || err != nil {
		return err
	}
	here := frame{up: at}
	for {
		var err error
		switch u := n.items; {
		case d.peek() != 'n':
			err = d.value(u.node, keep, &here)
		case u.nullable || u.def == nil && u.node.kinds == anyKind:
			err = d.word("null")
		case u.def == nil:
			err = mismatch(u.node, "null", &here)
		default:
			_, err = d.null(u)
		}
		if err != nil {
			return err
		}
		if more, err := d.more(']'); !more || err != nil {
			return err
		}
		here.index++
	}
}

// report remembers an unknown field.
func (d *decoder) report(here *frame) {
	if len(d.unknown) == maxUnknown || d.unknownBytes > maxUnknownBytes {
		return
	}
	path := here.String()
	d.unknown = append(d.unknown, path)
	d.unknownBytes += len(path)
}

func mismatch(n *node, found string, at *frame) error {
	return &TypeError{Path: at.String(), Found: found, Expected: n.String()}
}
