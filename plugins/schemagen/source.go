package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
)

// Source is what a Go package says in its source and nowhere else.
type Source struct {
	types     map[string]comment            // by type name
	fields    map[string]map[string]comment // by type name and field name
	constants []constant                    // in order of file and line
}

// constant is one string constant.
type constant struct {
	name, typeName, value string
	doc                   comment
}

// Sources reads packages once each.
type Sources map[string]*Source

// Package returns the source of the package with the given import path, which must be a dependency
// of the module that the working directory is in.
func (s Sources) Package(path string) (*Source, error) {
	if source, ok := s[path]; ok {
		return source, nil
	}
	pkg, err := build.Default.Import(path, ".", build.FindOnly)
	if err != nil {
		return nil, fmt.Errorf("find the source of %s: %w", path, err)
	}
	files, err := filepath.Glob(filepath.Join(pkg.Dir, "*.go"))
	if err != nil {
		return nil, err
	}
	source := &Source{types: map[string]comment{}, fields: map[string]map[string]comment{}}
	for _, name := range files {
		if !handWritten(name) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		source.add(file)
	}
	if len(source.types) == 0 {
		return nil, fmt.Errorf("package %s in %s: %w", path, pkg.Dir, fs.ErrNotExist)
	}
	s[path] = source
	return source, nil
}

func handWritten(file string) bool {
	name := filepath.Base(file)
	return !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, ".pb.go") && !strings.HasPrefix(name, "zz_generated.")
}

func (s *Source) add(file *ast.File) {
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				s.addType(spec, docOf(gen, spec.Doc))
			case *ast.ValueSpec:
				s.addConstants(spec, docOf(gen, spec.Doc))
			}
		}
	}
}

func (s *Source) addType(spec *ast.TypeSpec, doc comment) {
	s.types[spec.Name.Name] = doc
	body, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	fields := map[string]comment{}
	for _, field := range body.Fields.List {
		doc := parseComment(field.Doc)
		for _, name := range field.Names {
			fields[name.Name] = doc
		}
		if len(field.Names) == 0 {
			fields[embeddedName(field.Type)] = doc
		}
	}
	s.fields[spec.Name.Name] = fields
}

// embeddedName is the field name of an embedded type: its own, without package and star.
func embeddedName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.SelectorExpr:
		return expr.Sel.Name
	case *ast.StarExpr:
		return embeddedName(expr.X)
	}
	return ""
}

// addConstants notes constants that are string literals: those of a typed name, and untyped ones,
// which a default may refer to.
func (s *Source) addConstants(spec *ast.ValueSpec, doc comment) {
	typeName := ""
	if ident, ok := spec.Type.(*ast.Ident); ok {
		typeName = ident.Name
	}
	for i, name := range spec.Names {
		if i >= len(spec.Values) {
			return
		}
		literal, ok := spec.Values[i].(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		if value, err := strconv.Unquote(literal.Value); err == nil {
			s.constants = append(s.constants, constant{name.Name, typeName, value, doc})
		}
	}
}

// docOf is the comment of a spec, which stands on the declaration where it has no parentheses.
func docOf(decl *ast.GenDecl, doc *ast.CommentGroup) comment {
	if doc == nil && !decl.Lparen.IsValid() {
		doc = decl.Doc
	}
	return parseComment(doc)
}
