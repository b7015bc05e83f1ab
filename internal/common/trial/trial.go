// Package trial finds out what a run's try (ua-try(1)) holds, and applies it.
package trial

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/style"
)

// Link returns the path of the symbolic link in a run's folder that leads to its try.
func Link(r run.Run) string { return filepath.Join(r.Dir, "try") }

// A Trial is what has become of a run's try.
type Trial struct {
	// The try's ID, how many files and folders it changes, and whether it changes
	// anything.
	ID             string
	Files, Folders int64
	Empty          bool
	// Whether Apply has applied it.
	Applied bool
	Trouble string // why it could not be applied, lines for a person
	Network string // the first addresses that its commands spoke to
	Outside string // what they wrote outside of the folder

	link string
}

// Of returns what the run's try holds, or nil without one. Its stage has then said why.
func Of(r run.Run) *Trial {
	link := Link(r)
	text, err := exec.Command(prog.Sibling("ua-try"), "ls", "--json", link).Output()
	if err != nil {
		return nil
	}
	return parse(text, link)
}

// parse reads one line of ua-try ls --json.
func parse(text []byte, link string) *Trial {
	return &Trial{
		ID:      gjson.GetBytes(text, "id").String(),
		Files:   gjson.GetBytes(text, "files").Int(),
		Folders: gjson.GetBytes(text, "folders").Int(),
		Empty:   gjson.GetBytes(text, "state").String() == "empty",
		Network: strings.Join(event.Strings(text, "network"), ", "),
		Outside: strings.Join(event.Strings(text, "outside"), ", "), link: link,
	}
}

// Apply applies the try and returns the exit status of ua-try, 128+n for signal n.
func (t *Trial) Apply() (status int) {
	path, err := prog.FindSibling("ua-try")
	if err != nil {
		t.Trouble = err.Error()
		return prog.NotFound
	}
	cmd := exec.Command(path, "apply", t.link)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err = cmd.Run()
	status = prog.Ended(cmd.ProcessState)
	if t.Applied = err == nil; err != nil {
		t.Trouble = strings.TrimSpace(stderr.String())
	}
	if t.Trouble == "" && (status > 128 || cmd.ProcessState == nil) {
		t.Trouble = "ua-try: " + err.Error()
	}
	return status
}

// AddTo adds the try to a summary event.
func (t *Trial) AddTo(summary []byte) []byte {
	if t == nil {
		return summary
	}
	fields := map[string]any{"id": t.ID, "files": t.Files, "applied": t.Applied}
	if more, err := sjson.SetBytes(summary, "try", fields); err == nil {
		return more
	}
	return summary
}

// Diff prints what the run's try has changed, as ua-try diff does.
func Diff(env *prog.Env, r run.Run) error {
	if _, err := os.Stat(Link(r)); err != nil {
		return prog.Errorf(prog.No, "%s: the run has no try that shows what it changed", r.ID).
			Hintf("ua --try and ua --atomic keep one; git diff shows what differs from a commit")
	}
	cmd := exec.Command(prog.Sibling("ua-try"), "diff", Link(r))
	cmd.Stdout, cmd.Stderr = env.Stdout, env.Stderr
	if err := cmd.Run(); err != nil {
		return prog.Exit(prog.Ended(cmd.ProcessState))
	}
	return nil
}

// Size says how much the try changes, "" if nothing.
func (t *Trial) Size() string {
	switch {
	case t.Files > 0:
		return style.Plural(t.Files, "file")
	case t.Folders > 0:
		return style.Plural(t.Folders, "folder")
	}
	return ""
}

// Ask asks the person on the terminal what to do with the try, until it is applied,
// dropped or kept. Without a terminal it does nothing.
func (t *Trial) Ask(stderr io.Writer) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer tty.Close()
	lines := bufio.NewReader(tty)
	for {
		fmt.Fprint(tty, "  [y] apply [n] drop [v] view the diff [q] keep for later [?] help > ")
		answer, err := lines.ReadString('\n')
		if answer = strings.TrimSpace(answer); err != nil {
			answer = "q"
		}
		verb := ""
		switch answer {
		case "y", "yes":
			verb = "apply"
		case "n", "no":
			verb = "drop"
		case "v":
			verb = "diff"
		case "q":
			fmt.Fprintln(tty, "kept: ua try diff | apply | drop")
			return
		case "?":
			fmt.Fprint(tty, "  y  do in the folder what the commands did in the try\n"+
				"  n  throw away what they did\n  v  view what they changed\n"+
				"  q  keep the try for ua try diff, apply and drop\n")
			continue
		default:
			fmt.Fprintf(tty, "  %s is not an answer; ? lists them.\n",
				style.FirstLine(cmp.Or(answer, "Enter"), 20))
			continue
		}
		cmd := exec.Command(prog.Sibling("ua-try"), verb, t.link)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, stderr
		if err := cmd.Run(); err == nil && verb != "diff" {
			return
		}
	}
}
