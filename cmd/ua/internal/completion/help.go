// Package completion finds the words that may come next on a command line of ua's
// programs. It reads their --help, which tests compare with the manuals, so that
// completions cannot go out of date.
package completion

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Help is what a program's --help says about its command line.
type Help struct {
	Verbs map[string][]string // each verb's usage, a word each, without the verb
	Usage []string            // the words of the usage lines that have no verb
	// The options in the order of the help.
	Options []Option
	Words   map[string][]string // what a placeholder stands for: AGENT is a, b or c.
}

// An Option is one line of the list of options.
type Option struct {
	Names []string // -m, --model
	Value string   // MODEL, or "" when it takes none
	// What it does, in one line.
	About  string
	Inline bool // the value may only stand behind "=": --tmp[=DIR]
}

// patterns match lines and words of --help. They are compiled on first use, since
// otherwise each run of ua would pay for them.
type patterns struct{ usage, verb, words, option *regexp.Regexp }

// compiled returns the patterns.
var compiled = sync.OnceValue(func() patterns {
	return patterns{
		usage: regexp.MustCompile(`^(?:usage:| {6}) (ua[a-z-]*)(?: (.*))?$`),
		verb:  regexp.MustCompile(`^[a-z][a-z-]*(\|[a-z][a-z-]*)*$`),
		words: regexp.MustCompile(`^([A-Z]+) is ([a-z][a-z-]*(?:(?:, | or )[a-z][a-z-]*)+)\.$`),
		option: regexp.MustCompile(`^ {1,8}((?:-[A-Za-z], )?--?[A-Za-z][A-Za-z0-9-]*)` +
			`(\[?[ =][^ ]+)?(?:  +| |$)(.*)$`),
	}
})

// Parse reads the text of --help. It never fails: a line that fits no pattern is skipped.
func Parse(help string) Help {
	h := Help{Verbs: map[string][]string{}, Words: map[string][]string{}}
	for line := range strings.Lines(help) {
		line = strings.TrimRight(line, "\n")
		if m := compiled().usage.FindStringSubmatch(line); m != nil {
			h.usage(strings.Fields(m[2]))
		} else if m := compiled().words.FindStringSubmatch(line); m != nil {
			h.Words[m[1]] = strings.Split(strings.ReplaceAll(m[2], " or ", ", "), ", ")
		} else if m := compiled().option.FindStringSubmatch(line); m != nil {
			h.option(m)
		}
	}
	return h
}

// usage takes in one usage line. command and question are placeholders, though they look
// like verbs.
func (h *Help) usage(words []string) {
	if len(words) == 0 || !compiled().verb.MatchString(words[0]) || words[0] == "command" ||
		words[0] == "question" {
		h.Usage = append(h.Usage, words...)
		return
	}
	for verb := range strings.SplitSeq(words[0], "|") {
		h.Verbs[verb] = append(h.Verbs[verb], words[1:]...)
	}
}

// option takes in one line of the list of options.
func (h *Help) option(m []string) {
	o := Option{Names: strings.Split(m[1], ", "),
		About: strings.TrimSuffix(strings.TrimSpace(m[3]), ",")}
	o.Inline = strings.HasPrefix(m[2], "[=")
	o.Value = strings.Trim(m[2], " =[]")
	if o.Value != "" && !o.Inline && o.Value != strings.ToUpper(o.Value) {
		o.Value, o.About = "", strings.TrimSpace(o.Value+" "+o.About) // the text begins at once
	}
	h.Options = append(h.Options, o)
}

// find returns the option with that name, if the help has one.
func (h *Help) find(name string) (Option, bool) {
	i := slices.IndexFunc(h.Options, func(o Option) bool { return slices.Contains(o.Names, name) })
	if i < 0 {
		return Option{}, false
	}
	return h.Options[i], true
}
