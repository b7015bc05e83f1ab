// Package doctor checks whether ua would work here: its programs, the model and its key,
// the sandbox's layers, the shells, the settings and the folders.
package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/config"
	"ua/internal/common/event"
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

// Works reports whether no check has failed.
func Works(list []Check) bool {
	for _, c := range list {
		if c.State == Failed {
			return false
		}
	}
	return true
}

// Text returns the checks for a person: one line each, and below it how to mend what is
// not OK.
func Text(paint style.Style, list []Check) string {
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

// JSON returns the checks as one JSON object.
func JSON(list []Check) []byte {
	b, _ := json.Marshal(struct { // texts always encode
		Works  bool    `json:"works"`
		Checks []Check `json:"checks"`
	}{Works(list), list})
	return b
}

// programs checks that the programs which ua starts are installed beside it.
func programs(context.Context) []Check {
	var missing []string
	names := []string{"ua-think", "ua-gate", "ua-exec", "ua-sandbox", "ua-journal"}
	for _, name := range names {
		if prog.Sibling(name) == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return []Check{{"programs", Failed, strings.Join(missing, ", ") + " not found",
			"make install puts all programs into one folder; that folder must be on PATH"}}
	}
	return []Check{{"programs", OK, fmt.Sprintf("ua %s and %s", prog.Version(),
		strings.Join(names, ", ")), ""}}
}

// model checks which model a task would use, by asking ua-think, and then asks its
// provider for a list of models. The second needs the network and a valid key.
func model(ctx context.Context) []Check {
	out, said, err := ask(ctx, "ua-think", "--dry-run", "hello")
	name := event.Str(out, "model")
	if err != nil || name == "" {
		return []Check{failed("model", said, settingsOfThink)}
	}
	if line, ok := strings.CutPrefix(name, "exec:"); ok {
		return []Check{command(ctx, line)}
	}
	if file, ok := strings.CutPrefix(name, "replay:"); ok {
		if _, err := os.Stat(strings.TrimSuffix(file, "?strict")); err != nil {
			return []Check{{"model", Failed, err.Error(), settingsOfThink}}
		}
		return []Check{{"model", OK, name, ""}}
	}
	list := []Check{{"model", OK, name, ""}}
	provider, _, _ := strings.Cut(name, "/")
	out, said, err = ask(ctx, "ua-think", "models", provider)
	if err != nil {
		return append(list, failed(provider, said, settingsOfThink))
	}
	detail := fmt.Sprintf("answers, and offers %s",
		style.Plural(int64(strings.Count(string(out), "\n")), "model"))
	return append(list, Check{provider, OK, detail, ""})
}

// command checks a shell command that stands in for ua-think or for a model. It runs the
// command without a conversation, so that nothing is asked and nothing is paid for. Only
// the statuses 126 and 127 of the shell mean that it cannot be run at all.
func command(ctx context.Context, line string) Check {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	cmd.Env = config.OutsideEnv(config.WithoutKeys(os.Environ()))
	cmd.Run()
	if status := cmd.ProcessState.ExitCode(); status == 126 || status == 127 {
		return Check{"model", Failed, line + ": can't be run", "the settings or UA_MODEL name it"}
	}
	return Check{"model", OK, "asked by " + line, ""}
}

// settingsOfThink is the hint when ua-think gives none of its own.
const settingsOfThink = "ua-think(1) describes the settings"

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

// Examine runs all checks in the order in which a task needs them. bad returns the error
// in a file of settings; think is the command that the settings put in place of ua-think,
// or "".
func Examine(ctx context.Context, bad func(path string) error, think string) []Check {
	var list []Check
	files := func(ctx context.Context) []Check { return settings(ctx, bad) }
	for _, part := range []func(context.Context) []Check{programs, files, folders, skills, servers,
		sandbox} {
		list = append(list, part(ctx)...)
	}
	// A trial run would only repeat what has failed already.
	if Works(list) {
		list = append(list, trial(ctx, think))
	}
	asked := model
	if think != "" {
		asked = func(ctx context.Context) []Check { return []Check{command(ctx, think)} }
	}
	for _, part := range []func(context.Context) []Check{asked, keys, shells, desktop,
		doors} {
		list = append(list, part(ctx)...)
	}
	return list
}

// keys tells which providers have a key and where it is from. ua-think says it without
// showing a key.
func keys(ctx context.Context) []Check {
	out, _, err := ask(ctx, "ua-think", "keys", "--json")
	var list []string
	for line := range strings.Lines(string(out)) {
		v := gjson.Parse(line)
		list = append(list, v.Get("provider").Str+" ("+v.Get("from").Str+")")
	}
	if err != nil || len(list) == 0 {
		return nil // the check of the model says what to do
	}
	return []Check{{"keys", OK, strings.Join(list, ", "), ""}}
}

// patience is how long a program may take to answer.
const patience = 20 * time.Second

// lowSpace is the free space in bytes below which a run may not fit on the disk.
const lowSpace = 100 << 20
