package meter

// SectionSize is how large one section of a module is.
type SectionSize struct {
	Name  string // of a custom section: custom "NAME"
	Bytes int
}

// SectionSizes are the sizes of a module's sections, without their headers: those of the format in its order, then the custom
// ones.
//
//   - Only the outline of the module is checked.
func SectionSizes(wasm []byte) (sizes []SectionSize, err error) {
	o, err := split(wasm)
	if err != nil {
		return nil, err
	}
	for _, id := range sectionOrder {
		if s := o.known[id]; s.present() {
			sizes = append(sizes, SectionSize{sectionNames[id], s.end - s.start})
		}
	}
	for _, c := range o.customs {
		sizes = append(sizes, SectionSize{`custom "` + c.name + `"`, c.data.end - c.data.start})
	}
	return sizes, nil
}
