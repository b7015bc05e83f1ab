package completion

import (
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"ua/cmd/ua/internal/manual"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
	"ua/internal/common/xdg"
)

// A Candidate is a word that may come next, and its meaning in one line or "".
type Candidate struct{ Word, About string }

// Next returns the words that may stand at the end of a command line. line holds the
// words of it: the program's name first, and last the beginning of the wanted word,
// perhaps "". An empty result leaves the shell to complete names of files.
func Next(line []string) []Candidate {
	if len(line) < 2 {
		return nil
	}
	name, words, start := filepath.Base(line[0]), line[1:len(line)-1], line[len(line)-1]
	// ua VERB can be a program ua-VERB on PATH, whose own --help then counts.
	if name == "ua" && len(words) > 0 && isProgram("ua-"+words[0]) {
		name, words = "ua-"+words[0], words[1:]
	}
	words, start, before := split(words, start)
	h := Parse(output(name, "--help"))
	var list []Candidate
	verb, usage := h.verb(words)
	switch value, ok := h.value(words); {
	case slices.Contains(words, "--"):
		return nil
	case ok:
		list = h.values(name, value)
	case strings.HasPrefix(start, "-"):
		list = h.options()
	case verb == "":
		list = h.verbs(name)
	default:
		if _, known := h.Verbs[verb]; known {
			list = nested(usage, words)
		}
		if list == nil {
			list = h.operands(usage)
		}
	}
	// A shell puts the word on the user's line as it stands, so only plain words pass.
	list = slices.DeleteFunc(list, func(c Candidate) bool {
		return !strings.HasPrefix(c.Word, start) || !isPlain(c.Word)
	})
	for i := range list {
		list[i].Word = before + list[i].Word
	}
	return list
}

// split takes --option=value apart. value is the part to complete, and before is the part
// of the same word in front of it. Bash makes three words of it (COMP_WORDBREAKS in
// bash(1)).
func split(words []string, start string) (_ []string, value, before string) {
	if option, value, ok := strings.Cut(start, "="); ok && strings.HasPrefix(option, "--") {
		return append(slices.Clone(words), option), value, option + "="
	}
	if start == "=" {
		return words, "", ""
	}
	if n := len(words) - 1; n > 0 && words[n] == "=" {
		words = words[:n]
	}
	return words, start, ""
}

// isPlain reports whether every shell takes the word literally. The word is put on the
// user's line unquoted and may come from files that a command has written, so quoting
// characters would run something.
func isPlain(word string) bool {
	return word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"+
		"0123456789-_.,:/@+%=") == ""
}

// verb returns the verb among the words and its usage. The first operand decides; the
// value of an option is no operand.
func (h *Help) verb(words []string) (string, []string) {
	for i, w := range words {
		if strings.HasPrefix(w, "-") {
			continue
		}
		if i > 0 {
			if o, ok := h.find(words[i-1]); ok && o.Value != "" && !o.Inline {
				continue
			}
		}
		if usage, ok := h.Verbs[w]; ok {
			return w, usage
		}
		return w, h.Usage
	}
	return "", h.Usage
}

// value returns the option whose value comes next, if the last word is one.
func (h *Help) value(words []string) (Option, bool) {
	if len(words) == 0 {
		return Option{}, false
	}
	o, ok := h.find(words[len(words)-1])
	return o, ok && o.Value != "" && !o.Inline
}

// options returns every option by its long name.
func (h *Help) options() (list []Candidate) {
	for _, o := range h.Options {
		list = append(list, Candidate{o.Names[len(o.Names)-1], o.About})
	}
	return list
}

// verbs returns the verbs of a program. For ua the programs beside it that are called
// ua-VERB count as verbs too.
func (h *Help) verbs(name string) (list []Candidate) {
	for verb := range h.Verbs {
		list = append(list, Candidate{verb, ""})
	}
	if name == "ua" {
		files, _ := filepath.Glob(filepath.Join(filepath.Dir(prog.Sibling("ua-think")), "ua-*"))
		for _, f := range files {
			if program := filepath.Base(f); prog.Runnable(f) {
				list = append(list, Candidate{strings.TrimPrefix(program, "ua-"), program + "(1)"})
			}
		}
	}
	slices.SortFunc(list, func(a, b Candidate) int { return strings.Compare(a.Word, b.Word) })
	return slices.CompactFunc(list, func(a, b Candidate) bool { return a.Word == b.Word })
}

// listed matches a word of usage that lists words: a|b or [a].
var listed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[?[a-z][a-z-]*(\|[a-z][a-z-]*)+\]?$|^\[[a-z][a-z-]*\]$`)
})

// plain matches a word of usage that stands for itself.
var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z-]*$`) })

// nested returns the verbs of a verb, as start and ls are for job. There are none once
// one of them has been given.
func nested(usage, words []string) (list []Candidate) {
	for _, w := range usage {
		if !plain().MatchString(w) {
			continue
		}
		if slices.Contains(words, w) {
			return nil
		}
		list = append(list, Candidate{w, ""})
	}
	return list
}

// operands returns what may follow a verb by its usage: words that the usage lists, or
// names of the things that its placeholders stand for.
func (h *Help) operands(usage []string) (list []Candidate) {
	for i, word := range usage {
		switch plain := strings.Trim(word, "[]."); {
		case i > 0 && strings.HasPrefix(usage[i-1], "[-") && !strings.HasSuffix(usage[i-1], "]"):
			// the value of an option
		case listed().MatchString(word) && plain != "options":
			for w := range strings.SplitSeq(plain, "|") {
				list = append(list, Candidate{w, ""})
			}
		case plain == "RUN" || plain == "RUN|FILE":
			list = append(list, runs()...)
		case plain == "TRY":
			list = append(list, newest("ua-try", "try", "command")...)
		case plain == "PROVIDER" && len(list) == 0:
			for line := range strings.Lines(output("ua-think", "keys", "--all")) {
				list = append(list, Candidate{strings.Fields(line + " .")[0], ""})
			}
		case plain == "TOPIC":
			for _, w := range append(slices.Sorted(maps.Keys(h.Verbs)), manual.Topics()...) {
				list = append(list, Candidate{w, ""})
			}
		default:
			for one := range strings.SplitSeq(plain, "|") {
				for _, w := range h.Words[one] {
					list = append(list, Candidate{w, ""})
				}
			}
		}
	}
	return list
}

// values returns the values that an option can have. Models, profiles, agents and runs
// are looked up; the rest is in the help.
func (h *Help) values(program string, o Option) (list []Candidate) {
	add := func(words ...string) {
		for _, w := range words {
			list = append(list, Candidate{Word: w})
		}
	}
	switch name := o.Names[len(o.Names)-1]; {
	case o.Value == "MODEL":
		add(models()...)
	case o.Value == "PROFILE" || name == "--profile":
		add(profiles(program)...)
	case name == "--agent":
		for line := range strings.Lines(output("ua", "agents", "--json")) {
			list = append(list, Candidate{gjson.Get(line, "name").Str,
				style.FirstLine(gjson.Get(line, "description").Str, 60)})
		}
	case name == "--shell":
		add("bash", "zsh", "fish")
	case name == "--effort":
		add(config.Efforts()...)
	case name == "--isolate":
		add("worktree", "in_process")
	case name == "--sync":
		add("none", "turn", "line")
	case o.Value == "RUN":
		list = runs()
	default:
		add(h.Words[o.Value]...)
	}
	return list
}

// newest returns the newest 50 that a program lists as JSON, each with its state and what it
// did, a member of the line.
func newest(program, kind, did string) []Candidate {
	list := []Candidate{{run.Last, "the newest " + kind}}
	for line := range strings.Lines(output(program, "ls", "--json")) {
		what := gjson.Get(line, did)
		text := what.String()
		if what.IsArray() {
			var words []string
			for _, word := range what.Array() {
				words = append(words, word.String())
			}
			text = strings.Join(words, " ")
		}
		list = append(list, Candidate{gjson.Get(line, "id").Str,
			style.FirstLine(gjson.Get(line, "state").Str+": "+text, 60)})
		if len(list) > 50 {
			break
		}
	}
	return list
}

// runs returns runs, each with its task.
func runs() []Candidate { return newest("ua-journal", "run", "task") }

// profiles returns the profiles that a program's option may name. ua gives no command the
// profile "none"; ua-sandbox also accepts the user's own files.
func profiles(program string) (names []string) {
	names = verdict.Profiles()
	switch program {
	case "ua":
		names = slices.DeleteFunc(names, func(p string) bool { return p == string(verdict.ProfileNone) })
	case "ua-sandbox":
		files, _ := filepath.Glob(filepath.Join(xdg.Config(), "profiles", "*.toml"))
		for _, f := range files {
			names = append(names, strings.TrimSuffix(filepath.Base(f), ".toml"))
		}
	}
	return names
}

// models returns the aliases of the settings and the models that earlier runs have used.
func models() (names []string) {
	var settings struct {
		Alias map[string]string `toml:"alias"`
	}
	if text, err := safefile.Read(safefile.Follow(config.Path()), 1<<20); err == nil {
		config.Decode(string(text), &settings)
	}
	names = slices.Sorted(maps.Keys(settings.Alias))
	for line := range strings.Lines(output("ua-journal", "ls", "--json")) {
		if m := gjson.Get(line, "model").Str; m != "" && !slices.Contains(names, m) {
			names = append(names, m)
		}
	}
	return names
}

// isProgram reports whether ua has a program of that name beside it.
func isProgram(name string) bool { return config.Sibling(name) != "" }

// output returns what one of ua's own programs prints, "" when it fails: a completion has
// nowhere to show an error.
func output(name string, args ...string) string {
	path := config.Sibling(name)
	if path == "" {
		return ""
	}
	out, err := exec.Command(path, args...).Output()
	if err != nil {
		return ""
	}
	return string(out)
}
