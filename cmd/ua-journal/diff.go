package main

import (
	"io"
	"slices"
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
	end := step{kind: "end", lines: []string{" the run ends here"}}
	for i := range max(len(a), len(b)) {
		x, y := end, end
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x.kind == y.kind && slices.Equal(x.lines, y.lines) {
			continue
		}
		kind, calls := x.kind, 0
		if kind == "end" {
			kind = y.kind
		}
		for _, s := range a[:min(i, len(a))] {
			if s.kind == "proposal" {
				calls++
			}
		}
		env.Outf("%s, step %d, after %s:\n", kind, i+1, style.Plural(int64(calls), "call"))
		printSide(env, "-", x, y)
		printSide(env, "+", y, x)
		return prog.Exit(prog.No)
	}
	return nil
}

// printSide prints the lines of a step that the other one does not have.
func printSide(env *prog.Env, sign string, s, other step) {
	for _, line := range s.lines {
		if !slices.Contains(other.lines, line) {
			env.Printf("%s\n", strings.TrimRight(sign+" "+style.Printable(line), " "))
		}
	}
}

// A step is something that a run did, without what is different in every run: lines with
// the name of a member and its text.
type step struct {
	kind  string // proposal, verdict, result or answer
	lines []string
}

// add adds the lines of a member.
func (s *step) add(name, text string) {
	for line := range strings.Lines(text + "\n") {
		s.lines = append(s.lines, name+" "+strings.TrimSuffix(line, "\n"))
	}
}

// steps returns what the run of a journal did. Calls are named by their number, since IDs
// differ from run to run.
func steps(j io.ReaderAt, size int64, bad func(error)) (list []step, err error) {
	number := map[string]int{}
	err = store.Each(j, size, bad, func(line []byte, _ int64) error {
		s := step{}
		members := ""
		switch event.Type(line) {
		case "tool_call":
			number[event.Str(line, "id")] = len(number) + 1
			s.kind, members = "proposal", "name input"
			if gjson.GetBytes(line, "input.command").Exists() {
				members = "name input.command input.timeout_ms input.output input.background"
			}
		case "verdict":
			s.kind, members = "verdict", "decision risk profile command"
		case "tool_result":
			s.kind, members = "result", "status exit_code signal output"
		case "response":
			text, final := event.ResponseText(line)
			if !final {
				return nil
			}
			s.kind = "answer"
			s.add("text", text)
		default:
			return nil
		}
		if id := event.Str(line, "call_id"); id != "" {
			s.add("call", strconv.Itoa(number[id]))
		}
		for name := range strings.FieldsSeq(members) {
			if v := gjson.GetBytes(line, name); v.Exists() {
				s.add(name, v.String())
			}
		}
		list = append(list, s)
		return nil
	})
	return list, err
}
