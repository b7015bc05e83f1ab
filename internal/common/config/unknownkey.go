package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"ua/internal/common/prog"
)

// tables returns the names of the tables that our programs read. A table of another name
// belongs to another program, unless its name is close to one of these.
func tables() []string {
	return []string{"ua", "sandbox", "think", "provider", "alias", "price", "agents", "try", "mcp"}
}

// policyTables are the tables of a policy. They would do nothing in the settings, but
// whoever wrote a denial would rely on it.
var policyTables = []string{"levels", "deny", "ask", "allow", "hooks", "judge"}

// unknown returns the error for the first key that nobody reads, nil if there is none. It
// looks at the tables that into names and at keys outside of tables.
func unknown(path, text string, md toml.MetaData, into any) error {
	known := map[string]bool{}
	for _, name := range keysOf(reflect.TypeOf(into)) {
		known[name] = true
	}
	for _, key := range md.Undecoded() {
		table := md.Type(key[0]) == "Hash" || md.Type(key[0]) == "ArrayHash"
		switch {
		case slices.Contains(policyTables, key[0]) && !known[key[0]]:
			return prog.Errorf(prog.Trouble, "%s: [%s] is a table of policies", place(path, text, key),
				key[0]).Hintf("put it into policy.toml beside this file; see ua-policy(5)")
		case len(key) == 1 && table && prog.Nearest(key[0], tables()) == key[0]:
			continue // empty, or of another program
		case len(key) == 1 && table && prog.Nearest(key[0], tables()) == "":
			continue // of a program that is not ours
		case len(key) > 1 && !known[key[0]]:
			continue
		}
		return unknownKey(path, text, key, into)
	}
	return nil
}

// unknownKey returns the error for a key, with a hint at what was probably meant.
func unknownKey(path, text string, key toml.Key, into any) error {
	e := prog.Errorf(prog.Trouble, "%s: unknown key %q", place(path, text, key), key.String())
	last := key[len(key)-1]
	if near := prog.Nearest(last, Keys(into, key)); near != "" {
		return e.Hintf("did you mean %q?", near)
	}
	if len(key) > 1 {
		return e.Hintf("ua-config(5) lists the keys of [%s]", key[0])
	}
	for _, table := range keysOf(reflect.TypeOf(into)) {
		for _, name := range Keys(into, toml.Key{table, last}) {
			if name == last {
				return e.Hintf("put it under [%s]", table)
			}
		}
	}
	if near := prog.Nearest(last, tables()); near != "" {
		return e.Hintf("did you mean [%s]?", near)
	}
	return e.Hintf("keys belong in tables, such as [think]; ua-config(5) lists them")
}

// Keys returns the keys that may be in the same table as key.
func Keys(into any, key toml.Key) []string {
	t := reflect.TypeOf(into)
	for _, name := range key[:len(key)-1] {
		if t = child(t, name); t == nil {
			return nil
		}
	}
	return keysOf(t)
}

// child returns the type of a key of a table, nil for none.
func child(t reflect.Type, name string) reflect.Type {
	switch t = direct(t); t.Kind() {
	case reflect.Map:
		return t.Elem()
	case reflect.Struct:
		for f := range t.Fields() {
			if keyOf(f) == name {
				return f.Type
			}
		}
	}
	return nil
}

// keysOf returns the keys of a table.
func keysOf(t reflect.Type) (names []string) {
	if t = direct(t); t.Kind() != reflect.Struct {
		return nil
	}
	for f := range t.Fields() {
		if f.Anonymous {
			names = append(names, keysOf(f.Type)...)
		} else if name := keyOf(f); name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// keyOf returns the key of a struct's field.
func keyOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
	if name == "" {
		name = strings.ToLower(f.Name)
	}
	return name
}

// direct returns t without its pointers.
func direct(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

// place returns "path:line" of a key in the text of a file, or just the path if the line
// cannot be found.
func place(path, text string, key toml.Key) string {
	// A struct inside of a struct for each part of the key leads the parser to it.
	t := reflect.TypeFor[here]()
	for i := len(key) - 1; i >= 0; i-- {
		tag := reflect.StructTag("toml:" + strconv.Quote(key[i]))
		t = reflect.StructOf([]reflect.StructField{{Name: "X", Type: t, Tag: tag}})
	}
	var found toml.ParseError
	if _, err := toml.Decode(text, reflect.New(t).Interface()); errors.As(err, &found) {
		return fmt.Sprintf("%s:%d", path, found.Position.Line)
	}
	return path
}

// A here takes the place of a key whose line is wanted. Package toml tells the line of a
// value only in an error about it.
type here struct{}

// UnmarshalTOML returns an error, which toml puts the line into.
func (*here) UnmarshalTOML(any) error { return errors.New("here") }
