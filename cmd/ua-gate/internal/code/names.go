package code

import (
	_ "embed" // for namesText
	"regexp"
	"strings"
	"sync"
)

// A Kind says what an act does.
type Kind uint8

// The kinds, in the order of their lists.
const (
	Unread  Kind = iota // a word that no list has
	Delete              // it loses a file, or what is in it
	Write               // it makes or changes a file
	Command             // it runs a text as a command, or a program with arguments
	Net                 // it talks to other machines
	SQL                 // it runs a statement of a database
	Env                 // it reads the environment
)

// lists are the names of the lists in names.txt, by kind.
var lists = [...]string{"calm", "delete", "write", "command", "net", "sql", "env"}

// Hole stands in an argument for a piece of unknown value.
const Hole = "\x00"

// most is how many acts of a kind are told. A text that has more is unread.
const most = 100

// near is how far the arguments of a call and a pattern reach, in bytes.
const near = 2000

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

// lazy compiles a pattern when it is first used: each run starts a gate, and few judge code.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// has reports whether a list of words has the word.
func has(list, word string) bool { return strings.Contains(list, " "+word+" ") }

// tokenForm returns the form of a language's tokens, in whose groups are a literal, what counts
// for nothing, a number, and a name.
func tokenForm(language string) *regexp.Regexp {
	quotes := `(?s:"(?:\\.|[^"\\])*(?:"|\\?$)|'(?:\\.|[^'\\])*(?:'|\\?$)|` +
		"`(?:\\\\.|[^`\\\\])*(?:`|\\\\?$))"
	blank, digits := `//[^\n]*|(?s:/\*.*?(?:\*/|$))`, `[0-9][\w.]*`
	name := `[$@%]*[\pL_][\pL\pN_]*[?!]?`
	switch language {
	case "python":
		blank, name = `#[^\n]*`, `[\pL_][\pL\pN_]*`
		quotes = `(?s:[rbuftRBUFT]{0,2}(?:"""(?:\\.|[^\\])*?(?:"""|\\?$)|` +
			`'''(?:\\.|[^\\])*?(?:'''|\\?$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))`
	case "ruby":
		blank = `#[^\n]*`
	case "perl":
		blank, name = `#[^\n]*`, `[$@]#?[^\w\s{]|\$#\w+|`+name
		for _, d := range []string{"//", "||", "!!", "##", ",,", "::", "{}"} {
			open, shut := regexp.QuoteMeta(d[:1]), regexp.QuoteMeta(d[1:])
			body, middle := `(?:\\.|[^\\`+open+shut+`])*`, open
			if open != shut {
				middle = shut + `\s*` + open
			}
			digits += `|\b(?:(?:s|tr|y)` + open + body + middle + body + shut + `[a-z]*|(?:m|qr)` +
				open + body + shut + `[a-z]*)`
		}
	}
	return regexp.MustCompile(`^(?:(` + quotes + `)|(` + blank + `|[ \t\r]+|\\\n)|(` + digits +
		`)|(` + name + `)|(?s:.))`)
}
