package tool

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"ua/internal/common/prog"
)

// A property is an argument of a tool, as its schema has it.
type property struct {
	name, kind, about string
	required          bool
}

// properties returns the arguments in a JSON Schema, required ones first and then by name.
func properties(schema any) (list []property) {
	s, _ := schema.(map[string]any)
	props, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for name, v := range props {
		p := property{name: name, kind: "JSON", required: slices.Contains(required, any(name))}
		if m, ok := v.(map[string]any); ok {
			p.about, _ = m["description"].(string)
			if kind, ok := m["type"].(string); ok {
				p.kind = oneLine(kind, 20)
			}
			if values, ok := m["enum"].([]any); ok {
				p.about += " One of " + strings.Trim(fmt.Sprint(values), "[]") + "."
			}
			if d, ok := m["default"]; ok {
				p.about += fmt.Sprintf(" (%v)", d)
			}
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b property) int {
		if a.required != b.required {
			return map[bool]int{true: -1, false: 1}[a.required]
		}
		return cmp.Compare(a.name, b.name)
	})
	return list
}

// arguments are what a command line gives to a tool.
type arguments struct {
	values map[string]any
	json   bool // --json
}

// parse reads a command line: --NAME VALUE or --NAME=VALUE for each argument, and "-" for a
// JSON object on standard input, over which the others go.
func parse(props []property, words []string, stdin string) (a arguments, err error) {
	a.values = map[string]any{}
	if slices.Contains(words, "-") {
		if err := json.Unmarshal([]byte(stdin), &a.values); err != nil || a.values == nil {
			return a, prog.Errorf(prog.Trouble, "standard input: want a JSON object")
		}
	}
	for i := 0; i < len(words); i++ {
		name, value, glued := strings.Cut(words[i], "=")
		at := slices.IndexFunc(props, func(p property) bool { return "--"+p.name == name })
		switch {
		case words[i] == "-" || words[i] == "--destroys" && at < 0:
			continue
		case words[i] == "--json" && at < 0:
			a.json = true
			continue
		case at < 0:
			return a, prog.Errorf(prog.Trouble, "%q: no such argument", words[i])
		}
		p := props[at]
		next := i+1 < len(words)
		switch {
		case glued:
		case p.kind == "boolean" && (!next || words[i+1] != "true" && words[i+1] != "false"):
			value = "true"
		case !next:
			return a, prog.Errorf(prog.Trouble, "--%s needs a value", p.name)
		default:
			i++
			value = words[i]
		}
		v, err := p.value(value)
		if err != nil {
			return a, err
		}
		// Given again, an array grows.
		if old, ok := a.values[p.name].([]any); ok && p.kind == "array" {
			v = append(old, v.([]any)...)
		}
		a.values[p.name] = v
	}
	for _, p := range props {
		if _, ok := a.values[p.name]; p.required && !ok {
			return a, prog.Errorf(prog.Trouble, "--%s is missing", p.name)
		}
	}
	return a, nil
}

// value returns a value as the property's type wants it.
func (p property) value(text string) (any, error) {
	if p.kind == "string" {
		return text, nil
	}
	var v any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	err := d.Decode(&v)
	if err == nil && d.More() {
		err = fmt.Errorf("more than one value")
	}
	_, number := v.(json.Number)
	_, list := v.([]any)
	_, object := v.(map[string]any)
	_, boolean := v.(bool)
	switch p.kind {
	case "array":
		if err != nil || !list {
			return []any{text}, nil
		}
	case "number", "integer":
		if err != nil || !number {
			return nil, prog.Errorf(prog.Trouble, "--%s: %q is no number", p.name, text)
		}
	case "boolean":
		if err != nil || !boolean {
			return nil, prog.Errorf(prog.Trouble, "--%s: want true or false", p.name)
		}
	case "object":
		if err != nil || !object {
			return nil, prog.Errorf(prog.Trouble, "--%s: want a JSON object", p.name)
		}
	default:
		if err != nil {
			return text, nil
		}
	}
	return v, nil
}

// unseen reports whether a character has no place in a line for a reader.
func unseen(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
