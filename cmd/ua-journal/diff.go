package main

import (
	"io"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// diffVerb prints where two runs part: the first proposal, verdict, result or answer that
// differs. Its status is 1 if there is one.
func diffVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if fs.NArg() != 2 {
		return prog.Errorf(prog.Trouble, "diff takes two runs")
	}
	var runs [2][]step
	for i, name := range fs.Args() {
		j, size, err := openRun([]string{name})
		if err != nil {
			return err
		}
		runs[i], err = steps(j, size, warn(env, j.Name()))
		j.Close()
		if err != nil {
			return err
		}
	}
	a, b := runs[0], runs[1]
	for i := range max(len(a), len(b)) {
		if i < len(a) && i < len(b) && a[i].same(b[i]) {
			continue
		}
		printParting(env, a, b, i)
		return prog.Exit(prog.No)
	}
	return nil
}

// printParting prints what both runs did at step i. A run that is over does "end".
func printParting(env *prog.Env, a, b []step, i int) {
	at := func(run []step) step {
		if i < len(run) {
			return run[i]
		}
		return step{kind: "end", fields: []field{{"", "the run ends here"}}}
	}
	x, y := at(a), at(b)
	name := x.kind
	if x.kind == "end" {
		name = y.kind
	}
	env.Outf("%s, step %d, after %s:\n", name, i+1, style.Plural(int64(calls(a[:i])), "call"))
	// Only the fields that differ are of interest.
	for n := range max(len(x.fields), len(y.fields)) {
		var l, r field
		if n < len(x.fields) {
			l = x.fields[n]
		}
		if n < len(y.fields) {
			r = y.fields[n]
		}
		if l != r {
			printSide(env, "-", l)
			printSide(env, "+", r)
		}
	}
}

// printSide prints one field of a step, each line with the sign in front.
func printSide(env *prog.Env, sign string, f field) {
	if f == (field{}) {
		return
	}
	for line := range strings.Lines(f.value) {
		env.Printf("%s\n", strings.TrimRight(sign+" "+f.name+" "+style.Printable(strings.TrimSuffix(line,
			"\n")), " "))
	}
}

// calls counts the calls that the model proposed.
func calls(run []step) (n int) {
	for _, s := range run {
		if s.kind == "proposal" {
			n++
		}
	}
	return n
}

// A step is something that a run did, without what is different in every run.
type step struct {
	kind   string // proposal, verdict, result or answer
	fields []field
}

// A field is a part of a step that is compared.
type field struct{ name, value string }

// same reports whether two steps are equal.
func (s step) same(o step) bool {
	if s.kind != o.kind || len(s.fields) != len(o.fields) {
		return false
	}
	for i, f := range s.fields {
		if f != o.fields[i] {
			return false
		}
	}
	return true
}

// steps returns what the run of a journal did. Calls are named by their number, since IDs
// differ from run to run.
func steps(j io.ReaderAt, size int64, bad func(error)) (list []step, err error) {
	number := map[string]int{}
	err = store.Each(j, size, bad, func(line []byte, _ int64) error {
		s := step{}
		add := func(names ...string) {
			for _, name := range names {
				if v := gjson.GetBytes(line, name); v.Exists() {
					s.fields = append(s.fields, field{name, v.String()})
				}
			}
		}
		of := func() {
			s.fields = append(s.fields, field{"call",
				strconv.Itoa(number[event.Str(line, "call_id")])})
		}
		switch event.Type(line) {
		case "tool_call":
			number[event.Str(line, "id")] = len(number) + 1
			s.kind = "proposal"
			add("name", "input.command", "input.timeout_ms", "input.output", "input.background")
			// A call of an unknown form is compared as a whole.
			if len(s.fields) < 2 {
				add("input")
			}
		case "verdict":
			s.kind = "verdict"
			of()
			add("decision", "risk", "profile", "command")
		case "tool_result":
			s.kind = "result"
			of()
			add("status", "exit_code", "signal", "output")
		case "response":
			text, final := event.ResponseText(line)
			if !final {
				return nil
			}
			s.kind, s.fields = "answer", []field{{"text", text}}
		default:
			return nil
		}
		list = append(list, s)
		return nil
	})
	return list, err
}
