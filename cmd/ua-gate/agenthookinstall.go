package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
)

// A settings is the file of an agent's hook, and what has to be in it.
type settings struct {
	path     string
	elements []element // to be put into the file's JSON
	whole    string    // or the file's text, where it is the hook's own
	then     string    // what the person has to do besides, if anything
}

// An element is an element of an array in a JSON file.
type element struct{ array, json string }

// settingsOf returns the file in which the agent is told of the hook, and the text for it. The
// agent's shell runs the line. "|| exit 2" turns a missing, killed or broken gate into a denial,
// since most agents run the command after any other status.
func settingsOf(a agent, o options) (s settings, err error) {
	self, err := os.Executable()
	home, err2 := os.UserHomeDir()
	if err = errors.Join(err, err2); err != nil {
		return s, prog.Errorf(prog.Trouble, "%v", err)
	}
	option, pluginOption := "", ""
	if o.confine {
		option, pluginOption = "--confine ", `"--confine", `
	}
	if o.try {
		option, pluginOption = option+"--try ", pluginOption+`"--try", `
	}
	line := quoted(quote(self) + " hook " + option + a.name + " || exit 2")
	s.path = filepath.Join(cmp.Or(os.Getenv(a.variable), filepath.Join(home, a.folder)), a.file)
	hook := `"hooks":[{"type":"command","command":` + line + `}]`
	switch a.name {
	case "codex":
		s.then = "codex runs no hook that it was not told to trust: start it, type /hooks and trust " +
			"this one"
	case "opencode":
		s.whole = strings.NewReplacer("GATE", quoted(self), "OPTION", pluginOption).
			Replace(opencodePlugin)
	case "copilot-cli":
		s.whole = `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":` + line +
			`,"timeoutSec":600}]}}` + "\n"
	case "crush":
		hook = `"command":` + line
	}
	for _, event := range a.events {
		s.elements = append(s.elements, element{"hooks." + event,
			`{"matcher":` + quoted(a.tools) + `,` + hook + `}`})
	}
	return s, nil
}

// opencodePlugin asks the gate before each tool that is given a command
// (opencode.ai/docs/plugins). The model is told the errors that it throws.
const opencodePlugin = `// Asks ua-gate before a command runs; written by ua-gate hook --install.
import { spawnSync } from "node:child_process"

export const UaGate = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const call = JSON.stringify({ tool: input.tool, args: output.args, cwd: directory })
    const gate = spawnSync(GATE, ["hook", "--no-ask", OPTION"opencode"],
      { input: call, encoding: "utf8", cwd: directory })
    if (gate.status !== 0) throw new Error("ua-gate failed, so nothing runs: " + (gate.stderr ` +
	`|| gate.error || gate.signal))
    const answer = gate.stdout.trim() ? JSON.parse(gate.stdout) : {}
    if (answer.deny) throw new Error(answer.deny)
    if (answer.command) output.args.command = answer.command
  },
})
`

// quoted returns s as a JSON string.
func quoted(s string) string { return string(event.AppendString(nil, s)) }

// quote returns a path as a word of the shell.
func quote(path string) string {
	if strings.Trim(path,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// readSettings returns the settings of the agent's hook, and what their file says now.
func readSettings(a agent, o options) (s settings, old []byte, err error) {
	if s, err = settingsOf(a, o); err != nil {
		return s, nil, err
	}
	old, err = regular.Read(regular.Follow(s.path), 16<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, nil, prog.Errorf(prog.Trouble, "%s: %v", s.path, cause(err))
	}
	return s, old, nil
}

// installHook writes the hook into the agent's settings, keeps everything else there, and
// saves the old file. With --print it only prints what it would write.
func installHook(env *prog.Env, o options, a agent) error {
	s, old, err := readSettings(a, o)
	if err != nil {
		return err
	}
	text, err := s.in(old, true)
	switch {
	case err != nil:
		return prog.Errorf(prog.Trouble, "%s: %v", s.path, err).
			Hintf("ua-gate hook --install %s --print shows what belongs there", a.name)
	case o.print:
		fmt.Fprintf(env.Stderr, "%s:\n", s.path)
		alone, _ := s.in(nil, true) // as it would be with nothing but the hook
		env.Outf("%s\n", bytes.TrimRight(alone, "\n"))
		return nil
	case bytes.Equal(text, old):
		env.Outf("%s asks ua-gate already\n", s.path)
	default:
		kept, err := replace(s.path, old, text)
		if err != nil {
			return err
		}
		env.Outf("%s now asks ua-gate%s\n", s.path, kept)
	}
	if s.then != "" {
		env.Printf("%s\n", s.then)
	}
	env.Printf("ua-gate hook --check %s proves that it does\n", a.name)
	return nil
}

// in returns the file's text with the hook or, without want, without it. An older element of ours
// is replaced, and a new one comes last. Everything else keeps its place and form.
func (s *settings) in(old []byte, want bool) (text []byte, err error) {
	if s.whole != "" {
		if want {
			return []byte(s.whole), nil
		}
		return nil, nil
	}
	if text = old; len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	if !event.ValidJSON(text) || !gjson.ParseBytes(text).IsObject() {
		return nil, errors.New("not a JSON object without comments")
	}
	for _, e := range s.elements {
		list := gjson.GetBytes(text, e.array)
		if list.Exists() && !list.IsArray() {
			return nil, errors.New(e.array + " is not an array")
		}
		at := slices.IndexFunc(list.Array(), ours)
		switch path := e.array + "." + strconv.Itoa(at); {
		case want:
			text, err = sjson.SetRawBytes(text, path, []byte(e.json))
		case at >= 0:
			text, err = sjson.DeleteBytes(text, path)
		}
		if err != nil {
			return nil, err
		}
	}
	return text, nil
}

// ours reports whether an element is the hook. One with other hooks beside it is left alone.
func ours(x gjson.Result) bool {
	return strings.Contains(x.Raw, "ua-gate") && strings.Contains(x.Raw, " hook ") &&
		len(x.Get("hooks").Array()) <= 1
}

// uninstallHook takes the hook out of the agent's settings, and keeps everything else there.
func uninstallHook(env *prog.Env, o options, a agent) error {
	s, old, err := readSettings(a, o)
	if err != nil {
		return err
	}
	text, err := s.in(old, false)
	switch {
	case err != nil:
		return prog.Errorf(prog.Trouble, "%s: %v", s.path, err)
	case len(old) == 0 || bytes.Equal(text, old):
		env.Outf("%s does not ask ua-gate\n", s.path)
		return nil
	case text == nil:
		if err := os.Remove(s.path); err != nil {
			return prog.Errorf(prog.Trouble, "%v", err)
		}
		env.Outf("%s is removed: %s no longer asks ua-gate\n", s.path, a.name)
		return nil
	}
	kept, err := replace(s.path, old, text)
	if err == nil {
		env.Outf("%s no longer asks ua-gate%s\n", s.path, kept)
	}
	return err
}

// replace replaces the file's text in one step and saves the old text beside it. It
// returns words about that for the person.
func replace(path string, old, text []byte) (kept string, err error) {
	path, mode := regular.Follow(path), fs.FileMode(0o600) // a link stays
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", prog.Errorf(prog.Trouble, "%s: %v", path, cause(err))
	}
	if old != nil {
		if err := writeFile(path+".before-ua-gate", old, mode); err != nil {
			return "", err
		}
		kept = "; what it was is in " + path + ".before-ua-gate"
	}
	return kept, writeFile(path, text, mode)
}

// writeFile writes a file whole or not at all (rename(2)).
func writeFile(path string, text []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".ua-gate-*")
	if err != nil {
		return prog.Errorf(prog.Trouble, "%s: %v", path, cause(err))
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return prog.Errorf(prog.Trouble, "%s: %v", path, cause(err))
	}
	return nil
}
