package code

import "strings"

// imports reads a statement that brings in other code and begins at token i. It returns
// the token after the statement.
func (r *reader) imports(i int) (int, bool) {
	t := r.at[i]
	start := i == 0 || r.at[i-1].kind == newline || r.at[i-1].is(";") || r.at[i-1].is("{") ||
		r.at[i-1].is("}") || r.at[i-1].is(":") || r.lang.name == "ruby" && r.at[i-1].is("|")
	switch r.lang.name {
	case "python":
		if start && t.text == "import" {
			return r.pythonImport(i + 1), true
		}
		if start && t.text == "from" {
			return r.pythonFrom(i + 1), true
		}
	case "node":
		if start && t.text == "import" && i+1 < len(r.at) && !r.at[i+1].is("(") &&
			!r.at[i+1].is(".") {
			return r.nodeImport(i + 1), true
		}
		if start && t.text == "export" {
			if from := r.exportsFrom(i); from > 0 {
				return r.nodeImport(from), true
			}
		}
		if (t.text == "const" || t.text == "let" || t.text == "var") && i+1 < len(r.at) &&
			r.at[i+1].is("{") {
			return r.nodeParts(i + 1), true
		}
	case "perl":
		if start && (t.text == "use" || t.text == "no" || t.text == "require") && i+1 < len(r.at) &&
			r.at[i+1].kind == word && !strings.HasPrefix(r.at[i+1].text, "$") {
			name, next := r.name(i + 1)
			r.imported(name)
			return next, true
		}
	case "ruby":
		if start && (t.text == "require" || t.text == "require_relative") && i+1 < len(r.at) {
			args, _ := r.arguments(i + 1)
			if len(args) > 0 {
				module := r.value(args[0])
				// A path is a file of the project, a bare name may be a library.
				if t.text == "require_relative" || strings.ContainsAny(module, Hole) ||
					strings.HasPrefix(module, ".") || strings.HasPrefix(module, "/") {
					r.act(Load, t.text, module)
				} else {
					r.imported(module)
				}
			}
			return i + 2, true
		}
	}
	return 0, false
}

// imported notes that a module is used, and returns its name. A module that is not part
// of the language is code of the project or of a package.
func (r *reader) imported(module string) string {
	named := module
	module = strings.TrimPrefix(module, "node:")
	if r.lang.name == "node" {
		module = strings.TrimPrefix(module, "file://")
		if strings.HasPrefix(module, ".") || strings.ContainsAny(module[:min(1, len(module))],
			"/~"+Hole) || strings.HasPrefix(module, "data:") {
			if strings.HasSuffix(module, ".json") {
				r.act(Read, "require", module)
				return "JSON" // data
			}
			r.act(Load, "require", module)
			r.packages = true
			return strings.NewReplacer(".", "_", "/", "_").Replace(module)
		}
		module = strings.ReplaceAll(module, "/", ".")
	}
	if r.names.kind(module+".*") == "unknown" {
		r.act(Unknown, module)
	}
	top, _, _ := strings.Cut(module, ".")
	if !r.names.has("std", module) && !r.names.has("std", top) && !r.names.has("armed", module) {
		r.act(Load, named, named)
		r.packages = true
	}
	return module
}

// pythonImport reads what follows import: a.b as c, d. It returns the token after that.
func (r *reader) pythonImport(i int) int {
	for i < len(r.at) && r.at[i].kind == word {
		name, next := r.name(i)
		r.imported(name)
		if next+1 < len(r.at) && r.at[next].text == "as" {
			r.alias[r.at[next+1].text] = name
			next += 2
		} else {
			top, _, _ := strings.Cut(name, ".")
			r.alias[top] = top
		}
		if next >= len(r.at) || !r.at[next].is(",") {
			return next
		}
		i = next + 1
	}
	return i
}

// pythonFrom reads what follows from: a.b import c as d, e. It returns the token after
// that.
func (r *reader) pythonFrom(i int) int {
	for i < len(r.at) && r.isMember(r.at[i]) || i < len(r.at) && r.at[i].is("..") {
		i++
	}
	if i >= len(r.at) || r.at[i].kind != word {
		return i
	}
	module, i := r.name(i)
	// As in from . import x, which is code of the project.
	if module == "import" {
		r.act(Load, ".")
		return i
	}
	r.imported(module)
	for i++; i < len(r.at); i++ {
		t := r.at[i]
		switch {
		case t.is("*"):
			if !r.packages {
				r.act(Unknown, module) // whose names stand alone
			}
		case t.kind == word && t.text == "as" && i+1 < len(r.at):
			r.alias[r.at[i+1].text] = module + "." + r.at[i-1].text
			i++
		case t.kind == word:
			r.alias[t.text] = module + "." + t.text
		// A list in brackets goes on over the ends of lines.
		case t.is(",") || t.is("(") || t.is(")") || t.kind == newline && r.within(i):
		default:
			return i
		}
		if t.is(")") {
			return i + 1
		}
	}
	return i
}

// within reports whether a bracket is open before token i in the same statement.
func (r *reader) within(i int) bool {
	for i--; i >= 0; i-- {
		if r.at[i].is("(") {
			return true
		}
		if r.at[i].is(")") || r.at[i].text == "import" {
			return false
		}
	}
	return false
}

// exportsFrom returns the token of the module whose names the export at i hands on, or 0.
func (r *reader) exportsFrom(i int) int {
	for i++; i+1 < len(r.at) && !r.at[i].is(";") && !r.at[i].is("="); i++ {
		if r.at[i].text == "from" && r.at[i+1].kind == str {
			return i + 1
		}
	}
	return 0
}

// nodeImport reads what follows import: x, {a as b}, * as c from "m".
func (r *reader) nodeImport(i int) int {
	from := i
	// The first text is the module's name.
	for i < len(r.at) && r.at[i].kind != str && r.at[i].kind != newline && !r.at[i].is(";") {
		i++
	}
	if i >= len(r.at) || r.at[i].kind != str {
		return i
	}
	module := r.imported(r.at[i].text)
	inside := false
	for k := from; k < i; k++ {
		t := r.at[k]
		switch {
		case t.is("{") || t.is("}"):
			inside = t.is("{")
		case t.kind != word || t.text == "from" || t.text == "as":
		// As in {a as b}.
		case inside && k+2 < i && r.at[k+1].text == "as":
			r.alias[r.at[k+2].text] = module + "." + t.text
			k += 2
		// As in {a}.
		case inside:
			r.alias[t.text] = module + "." + t.text
		default:
			r.alias[t.text] = module
		}
	}
	return i + 1
}

// nodeParts reads what follows const: {a: b, c} = require("m").
func (r *reader) nodeParts(i int) int {
	end := r.closes(i)
	if end+2 >= len(r.at) || !r.at[end+1].is("=") {
		return i
	}
	from := end + 2
	// As in {a} = await import("m").
	if r.at[from].text == "await" {
		from++
	}
	if from >= len(r.at) || r.at[from].kind != word {
		return i
	}
	name, next := r.name(from)
	module, after := r.moduleCall(r.resolve(name), next)
	if module == "" {
		module, after = r.resolve(name), next
	}
	// As in require("m").b.
	for after+1 < len(r.at) && r.isMember(r.at[after]) && r.at[after+1].kind == word {
		module, after = module+"."+r.at[after+1].text, after+2
	}
	// As in require("m").b(): the parts are those of what a call returns.
	if after < len(r.at) && (r.at[after].is("(") || r.at[after].is("[") || r.at[after].is("?.")) {
		return i
	}
	for k := i + 1; k < end; k++ {
		if r.at[k].kind != word {
			continue
		}
		to := r.at[k].text
		// As in {a: b}.
		if k+2 < end && r.at[k+1].is(":") {
			to = r.at[k+2].text
		}
		r.alias[to] = module + "." + r.at[k].text
		if to != r.at[k].text {
			k += 2
		}
	}
	return after
}
