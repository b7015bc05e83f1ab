package code

import "strings"

// maxLinks limits how many calls of a chain are followed to its beginning.
const maxLinks = 50

// comesFrom returns the name with which the chain around token i begins, as an import or
// a variable's value gives it: "git.Repo" for the reset of git.Repo(".").head.reset().
func (r *reader) comesFrom(i int) string {
	for links := 0; i > 1 && r.isMember(r.at[i-1]) && links < maxLinks; links++ {
		i -= 2
		for r.at[i].is(")") || r.at[i].is("]") {
			// Over the arguments of a call in the chain.
			open := r.opening(i)
			if open < 0 {
				return ""
			}
			if open == 0 || !r.at[open].glued || r.at[open-1].kind == mark && !r.at[open-1].is(")") &&
				!r.at[open-1].is("]") {
				return r.begins(open + 1)
			}
			i = open - 1
		}
		if r.at[i].kind != word {
			return ""
		}
	}
	return r.begins(i)
}

// begins returns the name with which the expression at token i begins, as comesFrom does.
func (r *reader) begins(i int) string {
	for i < len(r.at) && (r.at[i].is("(") || r.at[i].is("\\") || r.at[i].kind == word &&
		strings.Contains(" new await yield return ", " "+r.at[i].text+" ")) {
		i++
	}
	if i >= len(r.at) || r.at[i].kind != word {
		return ""
	}
	name, next := r.name(i)
	first, rest, more := strings.Cut(name, ".")
	full := r.resolve(name)
	if from := r.from[first]; from != "" {
		if full = from; more {
			full += "." + rest
		}
	}
	// The value is the module that the call names.
	if r.names.kind(full) == "module" && next < len(r.at) {
		module := r.value(r.at[next:min(r.closes(next)+1, len(r.at))])
		if r.at[next].kind == str {
			module = r.at[next].text
		}
		return strings.ReplaceAll(strings.TrimPrefix(module, "node:"), "/", ".")
	}
	return full
}

// binds notes where a variable's value comes from if the statement at token i sets it
// without =: with A as b, for b in A.
func (r *reader) binds(i int) {
	if r.lang.name != "python" || r.at[i].text != "with" && r.at[i].text != "for" {
		return
	}
	from := i + 1
	for k := i + 1; k < len(r.at) && k < i+100; k++ {
		switch t := r.at[k]; {
		case t.kind == newline, t.is(":"):
			return
		// As in with A as b.
		case t.kind == word && t.text == "as" && k+1 < len(r.at):
			r.from[r.at[k+1].text] = r.begins(from)
		// As in for b, c in A.
		case t.kind == word && t.text == "in" && r.at[i].text == "for":
			for _, name := range r.at[i+1 : k] {
				if name.kind == word {
					r.from[name.text] = r.begins(k + 1)
				}
			}
			return
		// As in with A as b, C as d.
		case t.is(","):
			if r.at[i].text == "with" {
				from = k + 1
			}
		}
	}
}

// foreign reports whether the name is a member of a module that is not part of the
// language.
func (r *reader) foreign(full string) bool {
	top, _, member := strings.Cut(full, ".")
	return member && r.installed(top)
}

// installed reports whether the name is that of a package that is not part of the
// language.
func (r *reader) installed(top string) bool {
	if _, ok := r.alias["\x00"+top]; ok {
		return true
	}
	named := top != "" && top[0] >= 'A' && top[0] <= 'Z'
	switch r.lang.name {
	case "ruby": // a gem defines constants, whatever its own name
		return named && r.packages && r.names.find(top+".x") == "" &&
			!strings.Contains(rubyConstants, " "+top+" ")
	}
	return false
}

// rubyConstants are the constants of Ruby itself.
const rubyConstants = " Array Hash String Integer Float Set Struct Time Date DateTime Math " +
	"Comparable Enumerable Symbol Range Regexp Random " +
	"Rational Complex JSON YAML CSV URI ERB Digest SecureRandom Base64 Benchmark Logger OpenStruct " +
	"Pathname StringIO Object Class Module Proc " +
	"Encoding Thread Queue Mutex Data Ractor GC Gem RUBY_VERSION Etc Shellwords Tempfile Timeout " +
	"Psych BigDecimal Zlib "
