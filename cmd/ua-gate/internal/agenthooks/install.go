package agenthooks

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
	"ua/internal/common/safefile"
)

// settings returns the file in which the agent is told of the hook, and the text for it. The
// agent's shell runs the line. "|| exit 2" turns a missing, killed or broken gate into a denial,
// since most agents run the command after any other status.
func (a *Agent) settings(options []string) (path, hook string, err error) {
	self, err := os.Executable()
	home, err2 := os.UserHomeDir()
	if err = errors.Join(err, err2); err != nil {
		return "", "", prog.Errorf(prog.Trouble, "%v", err)
	}
	words := append(slices.Clip(options), a.Name)
	line := Word(self) + " hook " + strings.Join(words, " ") + " || exit 2"
	hook = strings.NewReplacer("LINE", quoted(line), "TOOLS", quoted(a.Tools), "GATE", quoted(self),
		"WORDS", `"`+strings.Join(words, `", "`)+`"`).Replace(a.Hook)
	folder := cmp.Or(os.Getenv(a.Settings[0]), filepath.Join(home, a.Settings[1]))
	return filepath.Join(folder, a.Settings[2]), hook, nil
}

// Word returns a path as a word of every shell.
func Word(path string) string {
	if strings.ContainsAny(path, " \t\n!\"#$&'()*;<=>?[\\]^`{|}~") {
		return prog.Quoted(path)
	}
	return path
}

// Install writes the hook with the options into the agent's settings, keeps everything else there,
// and saves the old file. With print it only prints what it would write.
func (a *Agent) Install(env *prog.Env, options []string, print bool) error {
	path, hook, err := a.settings(options)
	if err == nil && print {
		fmt.Fprintf(env.Stderr, "%s:\n", path)
		alone, _ := a.with(nil, hook) // as it would be with nothing but the hook
		env.Outf("%s\n", bytes.TrimRight(alone, "\n"))
		return nil
	}
	changed, kept := false, ""
	if err == nil {
		changed, kept, err = a.change(path, hook)
	}
	if err != nil {
		return prog.Errorf(prog.Trouble, "%w", err).
			Hintf("ua-gate hook --install %s --print shows what belongs there", a.Name)
	}
	if changed {
		env.Outf("%s now asks ua-gate%s\n", path, kept)
	} else {
		env.Outf("%s asks ua-gate already\n", path)
	}
	if a.Then != "" {
		env.Printf("%s\n", a.Then)
	}
	env.Printf("ua-gate hook --check %s proves that it does\n", a.Name)
	return nil
}

// Uninstall takes the hook out of the agent's settings, and keeps everything else there.
func (a *Agent) Uninstall(env *prog.Env) error {
	path, _, err := a.settings(nil)
	if err != nil {
		return err
	}
	changed, kept, err := a.change(path, "")
	switch {
	case err != nil:
	case changed:
		env.Outf("%s no longer asks ua-gate%s\n", path, kept)
	default:
		env.Outf("%s does not ask ua-gate\n", path)
	}
	return err
}

// change has the settings hold the hook, or none if it is "". It replaces the file in one step,
// and saves the old text beside it; kept says so.
func (a *Agent) change(path, hook string) (changed bool, kept string, err error) {
	path, mode := safefile.Follow(path), fs.FileMode(0o600) // a link stays
	old, err := safefile.Read(path, 16<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, "", prog.Errorf(prog.Trouble, "%s: %v", path, prog.Cause(err))
	}
	text, err := a.with(old, hook)
	switch {
	case err != nil:
		return false, "", prog.Errorf(prog.Trouble, "%s: %v", path, err)
	case bytes.Equal(text, old), hook == "" && old == nil:
		return false, "", nil
	case text == nil:
		err = os.Remove(path)
	default:
		if info, err := os.Stat(path); err == nil {
			mode = info.Mode().Perm()
		}
		err = os.MkdirAll(filepath.Dir(path), 0o700)
		if old != nil && err == nil {
			err = safefile.Replace(path+".before-ua-gate", old, mode, true)
			kept = "; what it was is in " + path + ".before-ua-gate"
		}
		if err == nil {
			err = safefile.Replace(path, text, mode, true)
		}
	}
	if err != nil {
		return false, "", prog.Errorf(prog.Trouble, "%s: %v", path, prog.Cause(err))
	}
	return true, kept, nil
}

// with returns a file's text with the hook or, if that is "", without it. An older element of ours
// is replaced, and a new one comes last. Everything else keeps its place and form.
func (a *Agent) with(old []byte, hook string) (text []byte, err error) {
	if len(a.Events) == 0 {
		if hook == "" {
			return nil, nil
		}
		return []byte(hook), nil
	}
	if text = old; len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	if !event.ValidJSON(text) || !gjson.ParseBytes(text).IsObject() {
		return nil, errors.New("not a JSON object without comments")
	}
	for _, event := range a.Events {
		list := gjson.GetBytes(text, "hooks."+event)
		if list.Exists() && !list.IsArray() {
			return nil, errors.New("hooks." + event + " is not an array")
		}
		at := slices.IndexFunc(list.Array(), ours)
		switch path := "hooks." + event + "." + strconv.Itoa(at); {
		case hook != "":
			text, err = sjson.SetRawBytes(text, path, []byte(hook))
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
