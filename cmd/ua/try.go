package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"ua/cmd/ua/internal/stage"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/run"
	"ua/internal/common/style"
)

// tryLink is the symbolic link in a run's folder to the try (ua-try(1)) that has
// what its commands changed.
const tryLink = "try"

// tries reports whether the run has a try of its own: one that is in a try already
// sees that one's view and changes it.
func (o *options) tries() bool { return o.try != config.TryNever && os.Getenv(run.EnvTry) == "" }

// inTry puts ua-try around the stage that runs commands.
func (l *loop) inTry(c stage.Command) (stage.Command, error) {
	args := []string{"--quiet", "--link", filepath.Join(l.run.Dir, tryLink)}
	args = with(args, "--except", l.ownPlaces())
	around, err := stage.Builtin("ua-try", append(args, "--")...)
	if err != nil {
		return c, err
	}
	c.Argv = append(around.Argv, c.Argv...)
	c.Env = append(c.Env, run.EnvTryTitle+"=ua "+style.FirstLine(l.title, 200))
	return c, nil
}

// ownPlaces returns what programs of ours write while the stage runs, and what ua reads
// then. It stays as it is where the working folder holds it: seen as the command's
// changes, it would be a conflict with what they write outside of the view.
func (l *loop) ownPlaces() []string {
	list := []string{l.run.Dir}
	if os.MkdirAll(config.StateDir(), 0o700) == nil {
		list = append(list, config.StateDir())
	}
	if log, err := regular.Append(run.AuditPath()); err == nil { // which may lie anywhere
		log.Close()
		list = append(list, run.AuditPath())
	}
	return list
}

// A trial is what became of a run's try.
type trial struct {
	id             string
	files, folders int64
	applied        bool
	trouble        string // why it could not be applied, lines for a person
	network        string // the first addresses that its commands spoke to
	outside        string // what they wrote outside of the folder
}

// endTry finds out what the run's try holds once its stages have ended, and
// applies it if that was asked for and the run went well.
func (l *loop) endTry() {
	if !l.o.tries() {
		return
	}
	dir := filepath.Join(l.run.Dir, tryLink)
	program := prog.Sibling("ua-try")
	text, err := exec.Command(program, "ls", "--json", dir).Output()
	if err != nil {
		return // there is none: the stage has said why
	}
	l.trial = &trial{
		id:    gjson.GetBytes(text, "id").String(),
		files: gjson.GetBytes(text, "files").Int(), folders: gjson.GetBytes(text, "folders").Int(),
	}
	l.trial.network, l.trial.outside = listed(text, "network"), listed(text, "outside")
	if l.o.try != config.TryAtomic || l.result.status != 0 ||
		gjson.GetBytes(text, "state").String() == "empty" {
		return
	}
	cmd := exec.Command(program, "apply", dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		l.trial.trouble = strings.TrimSpace(stderr.String())
		l.result = outcome{exit.ExitCode(), "ua-try", "the changes could not be applied",
			exit.ExitCode() == prog.TryLater}
		return
	}
	l.trial.applied = true
}

// listed returns the strings of an array in a line of ua-try's, in words.
func listed(line []byte, name string) string {
	var list []string
	for _, s := range gjson.GetBytes(line, name).Array() {
		list = append(list, s.String())
	}
	return strings.Join(list, ", ")
}

// withTry adds the try to a summary.
func (l *loop) withTry(line []byte) []byte {
	if l.trial == nil {
		return line
	}
	t := map[string]any{"id": l.trial.id, "files": l.trial.files, "applied": l.trial.applied}
	if more, err := sjson.SetBytes(line, "try", t); err == nil {
		return more
	}
	return line
}

// tryFooter says what to do with the try.
func (l *loop) tryFooter() {
	t := l.trial
	if t == nil {
		return
	}
	if t.network != "" {
		l.show.Say("what was done over the network can't be taken back: %s", t.network)
	}
	if t.outside != "" {
		l.show.Say("what was written outside of the folder can't be taken back: %s", t.outside)
	}
	if t.files+t.folders == 0 {
		return
	}
	if t.trouble != "" {
		for line := range strings.Lines(t.trouble) {
			fmt.Fprintln(l.env.Stderr, style.Printable(strings.TrimSuffix(line, "\n")))
		}
	}
	what := style.Plural(t.files, "file")
	if t.files == 0 {
		what = style.Plural(t.folders, "folder")
	}
	switch {
	case l.o.depth > 0: // who has started the agent decides
		next := "not applied: ua-try apply"
		if t.applied {
			next = "applied: ua-try undo"
		}
		l.env.Warnf("%s changed, %s %s", what, next, t.id)
	case t.applied:
		l.show.Say("%s changed: ua undo %s takes that back", what, l.run.ID)
	case l.o.try == config.TryAtomic:
		l.show.Say("%s changed, not applied: ua try diff | apply | drop", what)
	default:
		l.show.Say("%s changed: ua try diff | apply | drop", what)
	}
	if l.o.ask && !t.applied {
		l.askTry()
	}
}

// askTry asks the person on the terminal, if there is one, what is to be done
// with the try.
func (l *loop) askTry() {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer tty.Close()
	lines := bufio.NewReader(tty)
	for {
		fmt.Fprint(tty, "[d] diff [a] apply [k] keep for later [x] drop: ")
		answer, err := lines.ReadString('\n')
		answer = strings.TrimSpace(answer)
		if err != nil || answer == "k" || answer == "" {
			return
		}
		verb := map[string]string{"d": "diff", "a": "apply", "x": "drop"}[answer]
		if verb == "" {
			continue
		}
		cmd := exec.Command(prog.Sibling("ua-try"), verb, filepath.Join(l.run.Dir, tryLink))
		cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, l.env.Stderr
		if err := cmd.Run(); err == nil && verb != "diff" {
			return
		}
	}
}

// undoVerb takes back what a run has changed.
func undoVerb(env *prog.Env, args []string) error {
	fs, force := prog.Flags(), false
	fs.BoolVar(&force, "force", false, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if fs.NArg() > 1 {
		return asTask("undo", fs.Args(), prog.Errorf(prog.Trouble, "undo: want one run, not %d",
			fs.NArg()))
	}
	list, err := named("undo", fs.Args())
	if err == nil && len(list) == 0 {
		list, err = newestTried()
	}
	if err != nil {
		return err
	}
	dir := filepath.Join(list[0].Dir, tryLink)
	if _, ok := list[0].Above(); ok { // commands can write there
		return prog.Errorf(prog.No, "%s: a subagent's changes are in the try of the run above it",
			list[0].ID)
	}
	if _, err := os.Stat(dir); err != nil {
		return prog.Errorf(prog.No, "%s: there is no try to undo",
			list[0].ID).Hintf("ua --try and ua --atomic keep one")
	}
	program := prog.Sibling("ua-try")
	argv := []string{"ua-try", "undo", dir}
	if force {
		argv = []string{"ua-try", "undo", "--force", dir}
	}
	return prog.Errorf(prog.NotFound, "ua-try: %v", syscall.Exec(program, argv, os.Environ()))
}

// newestTried returns the newest run that has a try.
func newestTried() ([]run.Run, error) {
	list, err := run.List(reach())
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		if _, err := os.Stat(filepath.Join(r.Dir, tryLink)); err == nil {
			return []run.Run{r}, nil
		}
	}
	return nil, prog.Errorf(prog.No,
		"undo: no run has a try").Hintf("ua --try and ua --atomic keep one")
}
