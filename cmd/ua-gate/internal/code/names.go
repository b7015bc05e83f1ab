package code

import (
	_ "embed" // for namesText
	"regexp"
	"strings"
	"sync"
)

// namesText says what the words of each language mean. The head of the file explains the form.
//
//go:embed names.txt
var namesText string

// names is what the words of one language mean, and how it is written.
type names struct {
	language string
	calm     map[string]bool     // words of lists, and modules of calm words: "math.*"
	forms    map[string][]*entry // what finds the words of the other lists, by their last name
	at       map[string]string   // which argument a word's path is, where it isn't any
	tokens   *regexp.Regexp
	bare     bool // a call needs no brackets, and ` runs a command
	slashes  bool // a slash may begin a pattern
}

// An entry is a word of a list other than the calm one.
type entry struct {
	kind Kind
	form func() *regexp.Regexp
}

// tables keeps the names of the languages that were asked for. They do not change.
var tables sync.Map

// namesOf returns the names of a language: those of any, if it has no section.
func namesOf(language string) *names {
	if n, ok := tables.Load(language); ok {
		return n.(*names)
	}
	n := &names{language: language, at: map[string]string{}, forms: map[string][]*entry{},
		calm: map[string]bool{}, tokens: tokenForm(language)}
	n.bare = language == "ruby" || language == "perl"
	n.slashes = n.bare || language == "node"
	section := language
	if !strings.Contains(namesText, "\n["+section+"]\n") {
		section = "any"
	}
	_, text, _ := strings.Cut(namesText, "\n["+section+"]\n")
	text, _, _ = strings.Cut(text, "\n[")
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\n ", " "), "\n") {
		list, rest, _ := strings.Cut(line, ": ")
		for k, name := range lists {
			if name == list {
				n.add(Kind(k), strings.Fields(rest))
			}
		}
	}
	found, _ := tables.LoadOrStore(language, n)
	return found.(*names)
}

// add adds the words of a list.
func (n *names) add(k Kind, list []string) {
	for _, w := range list {
		w, at, _ := strings.Cut(w, "@")
		if k == Unread || !strings.Contains(w, ".") {
			n.calm[w] = true
		}
		if k == Unread {
			continue
		}
		i := strings.LastIndexByte(w, '.')
		owner, last := regexp.QuoteMeta(w[:max(i, 0)]), w[i+1:]
		if at != "" {
			n.at[last] = at
		}
		w = regexp.QuoteMeta(last)
		var all []string
		switch {
		case i == 0: // a method
			all = append(all, `\.`+w+`\s*\(`)
		case i > 0: // as in from os import remove, and const {rm} = require("fs")
			all = append(all, `\b`+owner+`\W{1,6}`+w+`\b`, `\b`+owner+`\s+import\b[^\n;]*\b`+w+`\b`,
				`[{,]\s*`+w+`\b[^\n;]*\b`+owner+`\b`)
		case k == Net: // a module of which something is called, or that is loaded
			called := `(?:(?:\.|::|->)\w+)*\s*\(`
			if n.bare {
				called = `(?:\.|::|->|\s*\()`
			}
			all = append(all, `\b`+w+called, `\bfrom\s+`+w+`\b`)
			if n.language != "python" {
				all = append(all, `\b(?:use|require|import|from)\W{1,3}(?:node:)?`+w+`\b`)
			}
		default:
			all = append(all, `\b`+w+`\b`)
		}
		key := last[strings.LastIndexFunc(last, outside)+1:]
		n.forms[key] = append(n.forms[key], &entry{k, lazy(strings.Join(all, "|"))})
	}
}

// outside reports whether a character is no part of a name.
func outside(c rune) bool {
	return c != '_' && c < 0x80 && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z')
}

// alias finds where a text gives a module another name.
var alias = lazy(`\bimport\s+([\w.]+)\s+as\s+(\w+)` +
	`|\b(\w+)\s*=\s*(?:await\s+)?(?:require|import)\s*\(\s*["'](?:node:)?(\w+)["']\s*\)`)

// renamed writes modules by their own names where the text gives them others.
func (n *names) renamed(text string) string {
	for _, m := range alias().FindAllStringSubmatch(text, 20) {
		if module, name := m[1]+m[4], m[2]+m[3]; name != module {
			text = regexp.MustCompile(`\b`+name+`\.`).ReplaceAllLiteralString(text, module+".")
		}
	}
	return text
}

// binders stand before names that the text itself gives a meaning.
const binders = " def class function lambda const let var my our local sub as for catch fn | "

// strange returns the first word that is in no list and not of the text's own, or "". Own holds
// the words of acts, and gets those that the text itself gives a meaning.
func (n *names) strange(tokens []token, own map[string]bool) string {
	binding := false
	for i, t := range tokens {
		next := token{}
		if i+1 < len(tokens) {
			next = tokens[i+1]
		}
		switch {
		case t.kind == word && (has(binders, t.text) || t.text == "import" && i > 1 &&
			tokens[i-2].text == "from" && n.calm[tokens[i-1].text+".*"]), t.is("|") && n.bare:
			binding = true
		case t.kind == word && (binding && t.text != "in" || next.is("=")):
			own[t.text] = true
		case !t.is(",") && !t.is("(") && !t.is("*") && !t.is(".") && !(t.is("{") && i > 0 &&
			tokens[i-1].kind == word && has(binders, tokens[i-1].text)):
			binding = false
		}
	}
	return n.unlisted(tokens, own)
}

// unlisted returns the first word that neither a list has nor the text's own names.
func (n *names) unlisted(tokens []token, own map[string]bool) string {
	all := false // the name before is a module's all of whose members are calm
	for i, t := range tokens {
		if w := n.unlisted(t.inner, own); w != "" {
			return w
		}
		if module := n.loaded(tokens, i); module != "" {
			return module
		}
		if w := n.detour(tokens, i); w != "" {
			return w
		}
		if t.kind != word {
			continue
		}
		member := i > 1 && (tokens[i-1].is(".") || tokens[i-1].is(":") || tokens[i-1].is(">"))
		all = n.calm[t.text+".*"] || member && (all || tokens[i-2].text == "env")
		loads := i > 0 && has(" import require from use ", tokens[i-1].text)
		all = all && !strings.HasPrefix(t.text, "_") && !has(detours, t.text)
		if !all && (len(t.text) > 1 || loads) && !own[t.text] && !n.calm[t.text] &&
			!(n.bare && strings.Contains("$@%", t.text[:1])) {
			return t.text
		}
	}
	return ""
}

// detours are members of modules by which others are reached, and code is made.
const detours = " constructor os sys io builtins codecs importlib subprocess inspect "

// loaded returns the module that is loaded by a text at token i, if no list has it, or "": what is
// no text may be any module.
func (n *names) loaded(tokens []token, i int) string {
	t := tokens[i]
	if n.language == "python" || t.kind != word ||
		!has(" require require_relative import from ", t.text) {
		return ""
	}
	for i++; i < len(tokens) && tokens[i].is("("); i++ {
		t.kind = number // a call
	}
	switch {
	case i >= len(tokens) || t.text != "require" && t.kind == word && tokens[i].kind != literal:
		return ""
	case tokens[i].kind != literal, i+1 < len(tokens) && tokens[i+1].is("+"):
		return t.text
	}
	name := strings.TrimPrefix(tokens[i].text, "node:")
	top, _, _ := strings.Cut(name, "/")
	if t.text != "require_relative" && (n.calm[top] || strings.HasSuffix(name, ".json")) {
		return ""
	}
	return name
}

// detour returns what reaches a function at token i without its name, or gives code new names.
func (n *names) detour(tokens []token, i int) string {
	t, next := tokens[i], token{}
	if i+1 < len(tokens) {
		next = tokens[i+1]
	}
	perl := n.language == "perl"
	// The mode of this one is a number.
	if n.language == "python" && t.text == "os" && next.is(".") &&
		tokens[min(i+2, len(tokens)-1)].text == "open" {
		return "os.open"
	}
	if t.is("]") && next.is("(") && n.language == "node" || t.text == "import" && next.is("*") ||
		perl && t.is("&") && (next.is("{") || strings.HasPrefix(next.text, "$")) ||
		perl && strings.HasSuffix(t.text, "ARGV") && next.is("=") {
		return t.text + next.text
	}
	return ""
}
