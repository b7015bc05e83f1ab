package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ua/cmd/ua-try/internal/broker"
	"ua/cmd/ua-try/internal/landing"
	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// operands returns the try that the first word names, if it names one, and the
// absolute paths of the rest. A word is a path where there is no such try.
func operands(words []string) (*try.Try, []tree.Name, error) {
	name := ""
	if len(words) > 0 {
		if t, err := try.Find(words[0]); err == nil {
			paths, err := absolute(words[1:])
			return t, paths, err
		}
		if len(words) == 1 && looksLikeID(words[0]) {
			name = words[0]
		}
	}
	t, err := try.Find(name)
	if err != nil {
		return nil, nil, err
	}
	paths, err := absolute(words)
	return t, paths, err
}

// looksLikeID reports whether a word begins as the IDs of tries do and names no
// file.
func looksLikeID(word string) bool {
	if _, err := os.Lstat(word); err == nil {
		return false
	}
	return len(word) >= 8 && strings.Trim(word[:8], "0123456789") == ""
}

func absolute(words []string) (paths []tree.Name, err error) {
	for _, w := range words {
		// The last part may be a link: that is what is meant. The rest leads to a folder.
		dir, base := filepath.Dir(w), filepath.Base(w)
		if base == "." || base == ".." || strings.HasSuffix(w, "/") {
			dir, base = w, "."
		}
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		full, err := filepath.Abs(filepath.Join(dir, base))
		if err != nil {
			return nil, err
		}
		paths = append(paths, tree.Name(full))
	}
	return paths, nil
}

// locked finds a try and takes its lock.
func locked(words []string) (*try.Try, []tree.Name, *os.File, error) {
	t, paths, err := operands(words)
	if err != nil {
		return nil, nil, nil, err
	}
	lock, err := t.Lock()
	if errors.Is(err, try.ErrBusy) {
		return nil, nil, nil, prog.Errorf(prog.TryLater,
			"%s: in use: its command, what that left behind, or another ua-try still runs", t.ID)
	}
	return t, paths, lock, err
}

func apply(env *prog.Env, args []string) error {
	fs, force := prog.Flags(), false
	fs.BoolVar(&force, "force", false, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	t, paths, lock, err := locked(fs.Args())
	if err != nil {
		return err
	}
	defer lock.Close()
	r, err := landing.Apply(t, paths, force, env.Warnf)
	if r.Finished {
		env.Warnf("%s: finished what was cut before", t.ID)
	}
	switch {
	case errors.Is(err, landing.ErrNothing):
		return prog.Errorf(prog.No, "%s: nothing to apply", t.ID)
	case err != nil:
		return told(env, t, err, "applied", "apply")
	}
	env.Warnf("%s: ua-try undo takes it back", done(r, "applied"))
	lock.Close() // this try counts too
	prune(env)
	return nil
}

func undo(env *prog.Env, args []string) error {
	fs, force := prog.Flags(), false
	fs.BoolVar(&force, "force", false, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	t, paths, lock, err := locked(fs.Args())
	if err != nil {
		return err
	}
	defer lock.Close()
	if len(paths) > 0 {
		return prog.Errorf(prog.Trouble, "undo takes back all of a try, no paths")
	}
	r, err := landing.Undo(t, force, env.Warnf)
	switch {
	case errors.Is(err, landing.ErrNothing):
		return prog.Errorf(prog.No, "%s: not applied", t.ID)
	case err != nil:
		return told(env, t, err, "taken back", "undo")
	}
	env.Warnf("%s", done(r, "taken back"))
	return nil
}

// done returns what was done, in words.
func done(r landing.Result, what string) string {
	text := strings.TrimSuffix(changes(r.Files, r.Folders), " changed")
	if text == "" {
		text = "times of files"
	}
	return text + " " + what
}

// told prints the conflicts of an error with both sides, and is the error that
// is left.
func told(env *prog.Env, t *try.Try, err error, what, verb string) error {
	var conflicts landing.Conflicts
	if !errors.As(err, &conflicts) {
		return err
	}
	authors := landing.Authors(t)
	for _, c := range conflicts {
		by := ""
		if id := authors[c.Path]; id != "" {
			by = ", by try " + id
		}
		env.Warnf("%s: changed since%s", shown(c.Path), by)
		env.Warnf("  in the folder: %s", side(c.Now))
		env.Warnf("  in the try:    %s", side(c.Try))
	}
	e := prog.Errorf(prog.No, "%s: nothing was %s: %s", t.ID, what, count(len(conflicts), "conflict"))
	if verb == "undo" {
		return e.Hintf("ua-try undo --force %s puts back what was there; what is there now is kept in "+
			"the try", t.ID)
	}
	option := ""
	if broker.Served() {
		option = "--stat "
	}
	return e.Hintf("ua-try diff %s%s PATH compares the two; ua-try apply --force %s PATH takes the "+
		"try's", option, t.ID, t.ID)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// side returns one side of a conflict, in words.
func side(f *tree.File) string {
	switch {
	case f == nil:
		return "nothing"
	case f.Type == tree.Symlink:
		return fmt.Sprintf("link to %q", string(f.Target))
	case f.IsFolder() && f.Mtime == 0: // that it was one is all that is known
		return "folder"
	}
	when := time.Unix(0, int64(f.Mtime)).Format("2006-01-02 15:04:05")
	if f.Type != tree.Regular {
		return fmt.Sprintf("%s, mode %04o, of %s", f.Type, uint32(f.Mode), when)
	}
	return fmt.Sprintf("file of %s, mode %04o, of %s", count(int(f.Size), "byte"), uint32(f.Mode),
		when)
}

func drop(env *prog.Env, args []string) error {
	fs := prog.Flags()
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	names := fs.Args()
	if len(names) == 0 {
		names = []string{"last"}
	}
	for _, name := range names {
		t, err := try.Find(name)
		if err != nil {
			return err
		}
		t, _, lock, err := locked([]string{t.Dir})
		if err != nil {
			return err
		}
		if plans, err := landing.Plans(t); err == nil {
			for _, p := range plans {
				if p.State == landing.Applying || p.State == landing.Undoing {
					return prog.Errorf(prog.No, "%s: an apply or undo of it was cut",
						t.ID).Hintf("ua-try apply %s finishes it, ua-try undo %s takes it back; then drop it", t.ID,
						t.ID)
				}
			}
		}
		if err = landing.Sweep(t); err == nil {
			err = t.Drop()
		}
		lock.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// A listed try is a line of ls --json.
type listed struct {
	ID      string      `json:"id"`
	Dir     tree.Name   `json:"dir"`
	Cwd     tree.Name   `json:"cwd"`
	Command []tree.Name `json:"command"`
	Title   tree.Name   `json:"title,omitempty"`
	Began   tree.Stamp  `json:"began"`
	State   string      `json:"state"`
	Status  *int        `json:"status,omitempty"`
	Files   int         `json:"files"`
	Folders int         `json:"folders"`
	Network []string    `json:"network,omitempty"`
	Outside []string    `json:"outside,omitempty"`
}

func list(env *prog.Env, args []string) error {
	fs, asJSON := prog.Flags(), false
	fs.BoolVar(&asJSON, "json", false, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	tries, err := try.List()
	if fs.NArg() > 0 {
		tries = nil
	}
	for _, name := range fs.Args() {
		var t *try.Try
		if t, err = try.Find(name); err != nil {
			break
		}
		tries = append(tries, t)
	}
	if err != nil {
		return err
	}
	for _, t := range tries {
		l := describe(t)
		if asJSON {
			text, err := json.Marshal(l)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(env.Out(), "%s\n", text); err != nil {
				return err
			}
			continue
		}
		env.Printf("%s  %5s  %-8s  %-17s  %s  %s\n", t.ID, age(t.Began), l.State,
			changes(l.Files, l.Folders),
			shown(string(t.Cwd)), title(t))
	}
	return nil
}

func describe(t *try.Try) listed {
	l := listed{ID: t.ID, Dir: tree.Name(t.Dir), Cwd: t.Cwd, Command: t.Command, Title: t.Title,
		Began: t.Began, State: "broken"}
	entries, err := manifest.Peek(t)
	if err == nil {
		l.State = state(t, entries)
	}
	l.Files, l.Folders = manifest.Files(entries)
	if e := t.End(); e != nil {
		l.Status, l.Network, l.Outside = &e.Status, e.Network, e.Outside
	}
	return l
}

// state returns how far a try has come.
func state(t *try.Try, entries []manifest.Entry) string {
	plans, err := landing.Plans(t)
	if err != nil {
		return "broken"
	}
	for _, p := range plans {
		switch p.State {
		case landing.Applying, landing.Undoing:
			return "cut"
		}
	}
	applied, open := 0, 0
	for i := range entries {
		if entries[i].Applied != 0 {
			applied++
		} else {
			open++
		}
	}
	switch {
	case t.Busy():
		return "running"
	case len(entries) == 0:
		return "empty"
	case applied == 0:
		return "kept"
	case open == 0:
		return "applied"
	}
	return "partly"
}

func age(began tree.Stamp) string {
	d := time.Since(time.Unix(0, int64(began)))
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}

// title returns what a try is of, as a line: what who has started it says, or the command.
func title(t *try.Try) string {
	words := []tree.Name{t.Title}
	if t.Title == "" {
		words = t.Command
	}
	var list []string
	for _, w := range words {
		list = append(list, style.Printable(strings.ReplaceAll(string(w), "\n", "; ")))
	}
	return strings.Join(list, " ")
}
