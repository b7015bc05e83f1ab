package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ua/cmd/ua-try/internal/landing"
	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/prog"
	"ua/internal/common/style"
	"ua/internal/common/tree"
)

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

// list prints the tries, or those that are named.
func list(env *prog.Env, args []string) error {
	fs, asJSON := prog.Flags(), false
	fs.BoolVar(&asJSON, "json", false, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	tries, err := try.List()
	// A try that is named by its folder need not be in the root's list.
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
		env.Printf("%s\n", style.Fold(env.Stdout, fmt.Sprintf("%s  %5s  %-8s  %-17s  %s  %s", t.ID,
			age(t.Began), l.State, manifest.Changed(l.Files, l.Folders), tree.Shown(string(t.Cwd)),
			title(t))))
	}
	return nil
}

// describe returns what ls tells of a try. One that cannot be read is "broken".
func describe(t *try.Try) listed {
	l := listed{ID: t.ID, Dir: tree.Name(t.Dir), Cwd: t.Cwd, Command: t.Command, Title: t.Title,
		Began: t.Began, State: "broken"}
	entries, err := manifest.Peek(t)
	if err == nil {
		l.State = landing.Progress(t, entries)
	}
	l.Files, l.Folders = manifest.Files(entries)
	if e := t.End(); e != nil {
		l.Status, l.Network, l.Outside = &e.Status, e.Network, e.Outside
	}
	return l
}

// age returns how long ago a time was, in its largest unit. A time that is still to come,
// as after a clock was set back, was just now.
func age(began tree.Stamp) string {
	d := max(time.Since(time.Unix(0, int64(began))), 0)
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

// title returns on one line what a try is of: the title that its caller gave, or the
// command.
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
