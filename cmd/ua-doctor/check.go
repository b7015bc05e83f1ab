package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// A State is the outcome of a check.
type State string

// The states. Only Failed keeps ua from doing a task with commands in the sandbox.
const (
	OK     State = "ok"
	Warned State = "warning"
	Failed State = "failed"
)

// A Check is one thing that was examined.
type Check struct {
	// The name of what was checked, the outcome and what was found.
	Name   string `json:"name"`
	State  State  `json:"state"`
	Detail string `json:"detail,omitempty"`
	Mend   string `json:"mend,omitempty"` // what to do, for all but OK
}

// works reports whether no check has failed.
func works(list []Check) bool {
	for _, c := range list {
		if c.State == Failed {
			return false
		}
	}
	return true
}

// asText returns the checks for a person: one line each, and below it how to mend what is
// not OK.
func asText(paint style.Style, list []Check) string {
	width := 0
	for _, c := range list {
		width = max(width, len(c.Name))
	}
	var b strings.Builder
	for _, c := range list {
		mark := paint.Green(style.Mark("✓"))
		switch c.State {
		case Warned:
			mark = paint.Yellow("!")
		case Failed:
			mark = paint.Red(style.Mark("✗"))
		}
		line := fmt.Sprintf("%s %-*s  %s", mark, width, c.Name, style.Printable(c.Detail))
		b.WriteString(strings.TrimRight(line, " ") + "\n")
		if c.Mend != "" {
			fmt.Fprintf(&b, "  %*s  %s\n", width, "",
				paint.Dim(style.Mark("→ ")+style.Printable(c.Mend)))
		}
	}
	return b.String()
}

// asObject returns the checks as one JSON object.
func asObject(list []Check) []byte {
	b, _ := json.Marshal(struct { // texts always encode
		Works  bool    `json:"works"`
		Checks []Check `json:"checks"`
	}{works(list), list})
	return b
}

// failed returns a check of a program that has failed. Its detail is the program's error
// message and its remedy the program's first hint, or mend without one.
func failed(name, said, mend string) Check {
	c, found := Check{Name: name, State: Failed, Detail: "no answer", Mend: mend}, ""
	for line := range strings.Lines(said) {
		_, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if hint, ok := strings.CutPrefix(text, "hint: "); ok {
			c.Mend = cmp.Or(found, hint)
			found = c.Mend
		} else if text != "" {
			c.Detail = text
		}
	}
	return c
}

// ask runs one of ua's programs and returns its stdout and stderr. It gives up after the
// time patience.
func ask(ctx context.Context, name string, args ...string) (out []byte, said string, err error) {
	path := prog.Sibling(name)
	if path == "" {
		return nil, "", prog.Errorf(prog.NotFound, "%s: not found", name)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var words strings.Builder
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stderr = &words
	out, err = cmd.Output()
	if ctx.Err() != nil {
		return out, fmt.Sprintf("%s: no answer within %v\n", name, patience), ctx.Err()
	}
	return out, words.String(), err
}

// patience is how long a program may take to answer.
const patience = 20 * time.Second
