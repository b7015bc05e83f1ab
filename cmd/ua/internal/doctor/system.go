package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tidwall/gjson"

	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/run"
	"ua/internal/common/style"
	"ua/internal/common/xdg"
)

// costs is what a layer that is missing costs, by the name that ua-sandbox gives it.
var costs = map[string]string{
	"namespaces": "commands see the machine's processes, network and temporary " +
		"files",
	"pid namespace with its /proc": "commands see the machine's processes",
	"landlock":                     "only mounts protect files",
	"seccomp":                      "commands may use any system call",
}

// sandbox asks ua-sandbox which layers this system lets it put on.
func sandbox(ctx context.Context) (list []Check) {
	out, said, err := ask(ctx, "ua-sandbox", "--probe", "--json")
	if !event.ValidJSON(out) {
		return []Check{failed("sandbox", said+errorText(err), "ua-sandbox(1) describes the layers")}
	}
	tier := gjson.GetBytes(out, "tier").Int()
	c := Check{"sandbox", OK, fmt.Sprintf("tier %d of 4", tier), ""}
	switch {
	case tier == 0:
		c.State, c.Mend = Failed, "no layer works here: ua-sandbox --probe says why"
	case tier < 4:
		c.State, c.Mend = Warned,
			"ua --strict refuses to run commands below tier 3; ua-sandbox --probe says what to change"
	}
	list = append(list, c)
	gjson.GetBytes(out, "layers").ForEach(func(_, l gjson.Result) bool {
		name := l.Get("name").Str
		if l.Get("ok").Bool() {
			return true
		}
		cost := costs[name]
		if cost == "" {
			cost = "commands are confined less"
		}
		list = append(list, Check{"  " + name, Warned, "missing: " + cost, l.Get("detail").Str})
		return true
	})
	return list
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return "ua-sandbox: " + err.Error() + "\n"
}

// shells looks for the shell that commands run in and those that ua-shell wraps.
func shells(context.Context) []Check {
	var found []string
	for _, name := range []string{"bash", "zsh", "fish"} {
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, name)
		}
	}
	c := Check{"shells", OK, cmp.Or(strings.Join(found, ", "), "none on PATH"), ""}
	if len(found) == 0 || found[0] != "bash" {
		c.State, c.Mend = Warned, "without bash, for which models write, commands run in sh"
	}
	return []Check{c}
}

// desktop looks for the programs by which a model sees and drives a desktop; none of
// them is needed for anything else (ua(7), COMPUTER USE).
func desktop(context.Context) []Check {
	var found []string
	for _, name := range []string{"scrot", "import", "xdotool", "wmctrl", "xclip", "tesseract",
		"arecord", "espeak-ng",
		"screencapture", "cliclick", "osascript"} {
		if _, err := exec.LookPath(name); err == nil {
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		found = []string{"no programs for screen, pointer or sound"}
	}
	return []Check{{"desktop", OK, strings.Join(found, ", "), ""}}
}

// settings reads the files in the order in which they count, the user's and those of the
// projects around the working folder, and looks at who may read and write them. bad
// returns what is wrong with a file of settings, and ua-gate says it of the policies.
func settings(ctx context.Context, bad func(path string) error) (list []Check) {
	files := [][2]string{{"settings", config.Path()}}
	for _, path := range config.Projects() {
		files = append(files, [2]string{"project", path})
	}
	files = append(files, [2]string{"policy", filepath.Join(xdg.Config(), "policy.toml")})
	for _, file := range files {
		name, path := file[0], file[1]
		data, err := read(name == "project", path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == "settings" && os.Getenv("UA_CONFIG") != "":
			list = append(list, Check{name, Failed, path + " does not exist",
				"UA_CONFIG names it: create the file, or unset UA_CONFIG"})
			continue
		case errors.Is(err, fs.ErrNotExist):
			list = append(list, Check{name, OK, "none: " + path, ""})
			continue
		case err != nil:
			list = append(list, Check{name, Failed, err.Error(),
				"it must be a regular file that you can read"})
			continue
		}
		if name != "policy" {
			err = bad(path)
		}
		if err != nil {
			list = append(list, wrong(name, err))
			continue
		}
		list = append(list, look(name, path, data))
	}
	if _, said, err := ask(ctx, "ua-gate", "explain", "true"); err != nil {
		list = append(list[:len(list)-1], failed("policy", said,
			"ua-policy(5) describes what it may hold"))
	}
	return list
}

// read returns the text of a file of settings. What a project's path names may be a
// command's work, so that no link is followed there.
func read(project bool, path string) ([]byte, error) {
	if !project {
		path = regular.Follow(path)
	}
	if path == os.DevNull {
		return nil, nil
	}
	return regular.Read(path, 16<<20)
}

// wrong returns the check of a file that does not say what it may, with its hint.
func wrong(name string, err error) Check {
	c := Check{name, Failed, err.Error(), "ua-config(5) lists what it may set"}
	var e *prog.Error
	if errors.As(err, &e) && e.Hint != "" {
		c.Mend = e.Hint
	}
	return c
}

// look checks the text and the permissions of one file of settings.
func look(name, path string, data []byte) Check {
	var tables map[string]any
	if _, err := config.Decode(string(data), &tables); err != nil {
		return Check{name, Failed, config.Bad(path, err).Error(),
			"it must be TOML: ua-config(5), ua-policy(5)"}
	}
	set := make([]string, 0, len(tables))
	for table := range tables {
		set = append(set, table)
	}
	c := Check{name, OK, fmt.Sprintf("%s sets %s", path, style.Plural(int64(len(set)), "table")),
		""}
	info, err := os.Stat(path)
	if err != nil {
		return c
	}
	switch mode := info.Mode().Perm(); {
	case mode&0o022 != 0:
		c.State, c.Detail, c.Mend = Warned, path+" can be written by others", "chmod 600 "+path
	case mode&0o044 != 0 && strings.Contains(string(data), "api_key ="):
		c.State, c.Detail, c.Mend = Warned, path+" holds a key that others can read", "chmod 600 "+path
	}
	return c
}

// lowSpace is the free space in bytes below which a run may not be kept.
const lowSpace = 100 << 20

// folders looks at where runs are kept: who may look into it, and what is free.
func folders(context.Context) []Check {
	dir := run.Root()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return []Check{{"runs", Failed, err.Error(), "set XDG_STATE_HOME to another place"}}
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return []Check{{"runs", Failed, err.Error(),
			"runs are kept there: own it and make it writable"}}
	}
	f.Close()
	os.Remove(f.Name())
	c := Check{"runs", OK, dir, ""}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err == nil {
		free := int64(disk.Bavail) * int64(disk.Bsize)
		c.Detail += fmt.Sprintf(", %sB free", style.Count(free))
		if free < lowSpace {
			c.State, c.Mend = Warned, "ua-journal prune --older 30d removes old runs"
		}
	}
	if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o077 != 0 {
		c.State, c.Mend = Warned, "others can read it: chmod 700 "+dir
	}
	return []Check{c, audit()}
}

// audit looks at the log without which no run begins.
func audit() Check {
	path := run.AuditPath()
	log, err := regular.Append(path)
	if err != nil {
		return Check{"audit log", Failed, err.Error(),
			"no run begins without it; UA_AUDIT=FILE puts it elsewhere"}
	}
	log.Close()
	return Check{"audit log", OK, path, ""}
}
