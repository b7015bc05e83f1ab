package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

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
