package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/overlay"
	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/chain"
	"ua/internal/common/confine"
	"ua/internal/common/prog"
)

// runTry runs the command in a try.
func runTry(env *prog.Env, o *options, command []string) error {
	p := &parent{env: env, o: o, command: command}
	if confine.Inside() != "" {
		return refuse("inside ua-sandbox nothing can be mounted (landlock(7))").
			Hintf("put ua-try " +
				"outside: ua-try " +
				"-- ua-sandbox -- command; with ua, --try of the outermost run, which its agents share")
	}
	if err := p.plan(); err != nil {
		return err
	}
	signals := chain.Catch()
	status, err := p.descend(signals)
	if err != nil {
		return err
	}
	if p.unrecorded && status == 0 {
		return prog.Exit(prog.Trouble)
	}
	return chain.Exit(status)
}

// plan works out which folders are covered, and which mounts in them are left as they
// are.
func (p *parent) plan() error {
	dir, err := syscall.Getwd() // the kernel's word: what PWD names may be another folder by now
	if err != nil {
		return usage("working directory: %w", err)
	}
	dirs := []string{dir}
	for _, d := range p.o.dirs {
		real, err := folder(d)
		if err != nil {
			return usage("--dir %q: %w", d, try.Cause(err))
		}
		dirs = append(dirs, real)
	}
	if slices.Contains(dirs, "/") {
		return refuse("/: the whole machine can't be covered").
			Hintf("run it in a folder; --dir PATH " +
				"adds others")
	}
	if p.covers, p.asis, err = overlay.Plan(dirs); errors.Is(err, fs.ErrNotExist) {
		return refuse("%w", err).
			Hintf("there is no /proc here, as in a bare chroot: mount -t proc proc /proc")
	} else if err != nil {
		return refuse("%w", err).Hintf("unmount it, or run the command in a folder without it")
	}
	for _, d := range p.o.except {
		real, err := tree.Real(d)
		if err != nil {
			return usage("--except %q: %w", d, try.Cause(err))
		}
		p.own = append(p.own, real)
		if slices.ContainsFunc(p.covers, func(c string) bool {
			return strings.HasPrefix(real,
				c+"/")
		}) {
			p.asis = append(p.asis, real)
		}
	}
	slices.Sort(p.asis) // outer ones first
	return nil
}

// folder returns the absolute path, without links, of a folder.
func folder(path string) (string, error) {
	real, err := tree.Real(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	if err == nil && !info.IsDir() {
		err = unix.ENOTDIR
	}
	return real, err
}

// descend runs the command with its changes in the first place that the kernel accepts.
func (p *parent) descend(signals <-chan os.Signal) (unix.WaitStatus, error) {
	places, skipped := p.places()
	if earlier, err := p.earlier(); err != nil {
		return 0, err
	} else if earlier != nil {
		places = []place{{earlier: earlier}}
	}
	var first error
	for _, place := range places {
		r, err := p.attempt(place, signals)
		var refused *overlay.Refusal
		if !errors.As(err, &refused) {
			return r, err
		}
		if first == nil {
			first = refused
		}
		if p.try != nil && !otherPlaceHelps(err) { // another place would not help
			break
		}
	}
	if first == nil {
		first = fmt.Errorf("no place for the changes: %s", skipped)
	}
	return 0, refuse("%w", first).Hintf("%s", remedy(first, p.asis, p.covers))
}

// attempt runs the command with its changes in one place. A *overlay.Refusal means that
// the place, or the system, does not allow it.
func (p *parent) attempt(place place, signals <-chan os.Signal) (status unix.WaitStatus,
	err error) {
	if err := p.prepare(place); err != nil {
		return 0, p.abandon(err)
	}
	runtime.LockOSThread() // init ends with the thread that starts it
	in, pid, err := p.start()
	if err == nil {
		go forward(pid, signals)
		status, err = p.follow(in, pid, place)
	}
	if err != nil {
		return 0, p.abandon(err)
	}
	return status, nil
}

// abandon removes the new try of a command that was not run.
func (p *parent) abandon(err error) error {
	if p.lock != nil {
		p.lock.Close()
	}
	if p.try == nil || p.ended != nil {
		return err
	}
	return errors.Join(err, p.try.Drop())
}

// forward passes signals on to init. A signal of the terminal has reached the command
// already.
func forward(pid int, signals <-chan os.Signal) {
	for sig := range signals {
		if !chain.FromTerminal(sig) {
			_ = unix.Kill(pid, sig.(syscall.Signal))
		}
	}
}

// follow reads init's report when the command has ended, and writes down what changed. It
// does not wait until the kernel has removed the view, since nobody is left in it.
func (p *parent) follow(in *os.File, pid int, place place) (unix.WaitStatus, error) {
	defer in.Close()
	var r report
	// of any length; a part of a line is one's that was killed
	if line, err := bufio.NewReader(in).ReadBytes('\n'); err == nil {
		if err := json.Unmarshal(line, &r); err != nil {
			return 0, err
		}
	}
	status := unix.WaitStatus(r.Status)
	if !r.Ended { // init was killed: that stands for its command; or it has failed
		for {
			if _, err := unix.Wait4(pid, &status, 0, nil); err != unix.EINTR {
				break
			}
		}
	}
	if r.Step != "" {
		return 0, r.err()
	}
	if place.note != "" && !p.o.quiet {
		p.env.Warnf("%s", place.note)
	}
	p.finish(r, status)
	return status, nil
}

// run chooses between the stage inside, a verb and a new try.
func run(env *prog.Env) error {
	if os.Args[0] == initName {
		return initStage(env)
	}
	if len(env.Args) > 0 {
		if verb := verbs()[env.Args[0]]; verb != nil {
			return verb(env, env.Args[1:])
		}
	}
	fs, o := prog.Flags(), &options{}
	fs.StringVar(&o.out, "o", "", "")
	fs.StringVar(&o.link, "link", "", "")
	fs.StringVar(&o.goOn, "continue", "", "")
	fs.BoolVar(&o.quiet, "quiet", false, "")
	for name, list := range map[string]*[]string{"dir": &o.dirs, "except": &o.except} {
		prog.List(fs, list, name)
	}
	dashes := slices.Index(env.Args, "--")
	own, command := env.Args, []string(nil)
	if dashes >= 0 {
		own, command = env.Args[:dashes], env.Args[dashes+1:]
	}
	if err := loaderUsage(env.Parse(fs, own, help)); err != nil {
		return err
	}
	switch {
	case fs.NArg() > 0 && dashes < 0:
		return usage("unknown verb %q", fs.Arg(0)).Hintf("%s", suggestion(fs))
	case fs.NArg() > 0:
		return usage("unexpected %q before --", fs.Arg(0)).Hintf("ua-try [options] -- command")
	case len(command) == 0:
		return usage("no command").Hintf("ua-try -- command; --help lists the rest")
	}
	return runTry(env, o, command)
}

// A parent is the stage outside. It makes the try's folder, starts init, which shows the
// command its view, and afterwards writes down what changed.
type parent struct {
	env     *prog.Env
	o       *options
	command []string
	covers  []string
	asis    []string
	own     []string // what is excepted, wherever it lies
	try     *try.Try
	lock    *os.File
	ended   *try.End // what the commands of the try were before, nil in a new one

	unrecorded bool // how the command ended, or what it changed, could not be written down
}

// options are the command line of a run.
type options struct {
	out    string
	link   string
	dirs   []string
	except []string
	quiet  bool
	goOn   string // the try that the command goes on in, "" for a new one
}

// verbs returns the functions of the words that can come first.
func verbs() map[string]func(*prog.Env, []string) error {
	return map[string]func(*prog.Env, []string) error{
		"ls": list, "diff": show, "apply": apply, "undo": undo, "drop": drop,
	}
}

// suggestion returns the verb that was probably meant, or how to run a command of that
// name.
func suggestion(fs *flag.FlagSet) string {
	var names []string
	for name := range verbs() {
		names = append(names, name)
	}
	slices.Sort(names)
	if near := prog.Nearest(fs.Arg(0), names); near != "" {
		return "did you mean " + near + "?"
	}
	return "ua-try -- " + fs.Arg(0) + " runs a command"
}

// loaderUsage gives errors of the command line the status of a chain loader, so that a
// caller can tell them from the command's own.
func loaderUsage(err error) error {
	var e *prog.Error
	if errors.As(err, &e) {
		e.Status = prog.LoaderUsage
	}
	return err
}
