package completion

import (
	"slices"
	"testing"
)

const help = `usage: ua-x [options] "task" [-]
       ua-x resume|fork [options] RUN ["task"]
       ua-x hook [options] one|two
       ua-x models [provider ...]

  -a, --attach FILE     attach a file
      --bg              go on in the background
      --budget-tokens N  end the run
  -m, --model MODEL     ask this model: PROVIDER/NAME
  --tmp[=DIR]           keep TMPDIR in memory, or in DIR
  -n N                  the last N events
  -y                    do not ask
  --help                print this

KIND is good, bad or in-between.
RUN is a run's ID, the start of one, or "last".`

func TestParse(t *testing.T) {
	h := Parse(help)
	for _, c := range []struct {
		name, value, about string
		inline             bool
	}{
		{"-a", "FILE", "attach a file", false}, {"--bg", "", "go on in the background", false},
		{"--budget-tokens", "N", "end the run", false},
		{"--model", "MODEL", "ask this model: PROVIDER/NAME", false},
		{"--tmp", "DIR", "keep TMPDIR in memory, or in DIR", true},
		{"-n", "N", "the last N events", false},
		{"-y", "", "do not ask", false},
	} {
		o, ok := h.find(c.name)
		if !ok || o.Value != c.value || o.About != c.about || o.Inline != c.inline {
			t.Errorf("%s: %+v, %v", c.name, o, ok)
		}
	}
	if len(h.Options) != 8 || len(h.Verbs) != 4 || !slices.Contains(h.Verbs["fork"], "RUN") ||
		!slices.Contains(h.Usage, `"task"`) {
		t.Errorf("%+v", h)
	}
	for _, c := range []struct {
		words []string
		verb  string
		value string
	}{
		{nil, "", ""}, {[]string{"--bg", "fork"}, "fork", ""},
		{[]string{"-m", "fork", "hook"}, "hook", ""},
		{[]string{"resume", "-m"}, "resume", "MODEL"}, {[]string{"--tmp"}, "", ""},
		{[]string{"a task"}, "a task", ""},
	} {
		verb, _ := h.verb(c.words)
		o, _ := h.value(c.words)
		value := o.Value
		if o.Inline || !slices.Contains(c.words, "-m") || c.value == "" {
			value = ""
		}
		if verb != c.verb || value != c.value {
			t.Errorf("%q: %q %q", c.words, verb, value)
		}
	}
	if list := h.operands([]string{"[KIND]"}); len(list) != 3 || list[2].Word != "in-between" {
		t.Errorf("%+v", list)
	}
	usage := []string{"start", "[--keep]", "[argument", "...]", "ls", "JOB"}
	if list := nested(usage, []string{"job"}); len(list) != 2 || list[1].Word != "ls" {
		t.Errorf("%+v", list)
	}
	if list := nested(usage, []string{"job", "ls"}); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	if list := h.operands(h.Verbs["hook"]); len(list) != 2 || list[0].Word != "one" {
		t.Errorf("%+v", list)
	}
}

// TestSplit holds what is asked for in --option=value, also where bash has cut it up.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		words               []string
		start               string
		last, value, before string
	}{
		{[]string{"a"}, "--model=ol", "--model", "ol", "--model="},
		{[]string{"a"}, "--model=", "--model", "", "--model="},
		{[]string{"a", "--model"}, "=", "--model", "", ""},
		{[]string{"a", "--model", "="}, "ol", "--model", "ol", ""},
		{[]string{"a", "--model"}, "ol", "--model", "ol", ""},
		{[]string{"a"}, "x=y", "a", "x=y", ""},
		{[]string{"a"}, "--bg", "a", "--bg", ""},
	} {
		words, value, before := split(c.words, c.start)
		if words[len(words)-1] != c.last || value != c.value || before != c.before {
			t.Errorf("%q %q: %q %q %q", c.words, c.start, words, value, before)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(help)
	f.Fuzz(func(t *testing.T, help string) {
		h := Parse(help)
		for _, o := range h.Options {
			if len(o.Names) == 0 || o.Names[0] == "" {
				t.Errorf("%+v of %q", o, help)
			}
		}
	})
}
