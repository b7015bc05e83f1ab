package main

import (
	"io"
	"os"
	"strconv"
	"sync"
	"syscall"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-exec/internal/environ"
	"ua/cmd/ua-exec/internal/pipe"
	"ua/cmd/ua-exec/internal/process"
	"ua/cmd/ua-exec/internal/report"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// A shell knows how commands are started: by which shell and through which sandbox.
type shell struct {
	argv    []string // up to the command's text
	prelude *os.File // what bash reads first to report on pipelines
	sandbox string   // path of ua-sandbox, "" when there is none
	nested  bool     // ua-exec is in a sandbox itself
	narrows bool     // and narrows its commands by itself
	pass    []string // variables that a sandbox has to let through
	opts    *options
}

// findShell looks for bash, for sh if there is no bash, and for ua-sandbox. It takes only
// a shell that commands cannot have put on PATH, even with the profile none.
func findShell(o *options, nested bool) (*shell, error) {
	s := &shell{opts: o, nested: nested}
	if path := prog.Lookup("bash", o.write...); path != "" {
		s.argv = []string{path, "--noprofile", "--norc", "-c"}
		s.prelude = report.NewSealed(report.Prelude)
	} else if path := prog.Lookup("sh", o.write...); path != "" {
		s.argv = []string{path, "-c"}
	} else {
		return nil, prog.Errorf(prog.NotFound, "bash, sh: not found").
			Hintf("a folder on PATH counts only where commands can't write")
	}
	s.sandbox = prog.Sibling("ua-sandbox")
	s.narrows = nested && canNarrow()
	return s, nil
}

// narrow returns the lock for the thread that starts a command in the profile. The thread
// then confines itself as ua-sandbox --nested does. The lock is empty if a ua-sandbox
// does that.
func (s *shell) narrow(p verdict.Profile) (process.Lock, error) {
	if !s.narrows || s.opts.unconfined {
		return process.Lock{}, nil
	}
	write := s.opts.write
	if p == verdict.ProfileReadOnly {
		write = nil
	}
	return narrow(p, write, s.opts.dir)
}

// sandboxes reports whether each command is run by a ua-sandbox of its own.
func (s *shell) sandboxes() bool { return !s.opts.unconfined && !s.narrows }

// command returns the complete argument list that runs text in the profile of the call,
// with the descriptors of its report. A sandbox that hides the folder of outputs must let
// the command read it.
func (s *shell) command(text string, e *execution, folder string) []string {
	p := e.call.profile
	var fds []string
	if len(text) >= report.ArgMax {
		text, fds = report.FromScript, append(fds, strconv.Itoa(report.ScriptFD))
	}
	if !s.sandboxes() {
		return append(s.argv[:len(s.argv):len(s.argv)], text)
	}
	argv := []string{s.sandbox}
	if s.nested {
		argv = append(argv, "--nested")
	}
	argv = append(argv, "--profile", string(p))
	if p != verdict.ProfileReadOnly {
		argv = prog.Repeat(argv, "--write", s.opts.write)
	}
	argv = prog.Repeat(argv, "--grant", e.call.grant.Write)
	argv = prog.Repeat(argv, "--net-allow", e.call.grant.Host)
	if !s.nested {
		argv = append(argv, "--quiet") // the tier is told once
		argv = prog.Repeat(argv, "--read", s.opts.read)
		argv = prog.Repeat(argv, "--env", s.pass)
		if folder != "" {
			argv = append(argv, "--read", folder)
		}
		if e.call.delegates && e.x.control.path != "" {
			argv = append(argv, "--socket", e.x.control.path)
		}
		if p == verdict.ProfileNetwork {
			argv = prog.Repeat(argv, "--net-allow", s.opts.netAllow)
			argv = append(argv, "--net-log-fd", strconv.Itoa(report.NetLogFD))
		}
	}
	argv = append(argv, "--status-fd", strconv.Itoa(report.NotRunFD))
	if e.report != nil {
		fds = append(fds, strconv.Itoa(report.StatusFD), strconv.Itoa(report.PreludeFD))
	}
	argv = append(prog.Repeat(argv, "--fd", fds), "--")
	return append(append(argv, s.argv...), text)
}

// A tier is the tier of the sandboxes in which commands run: of the one around ua-exec,
// or of those that ua-sandbox makes for each command.
type tier struct {
	env    *prog.Env
	around int // of the sandbox that ua-exec is in, 0 for none
	probe  func() (int, bool)
}

// newTier returns the tier of a ua-exec in a sandbox of tier around, 0 for none.
func newTier(env *prog.Env, x *executor, around int) *tier {
	l := &tier{env: env, around: around}
	l.probe = sync.OnceValues(func() (int, bool) { return l.ask(x) })
	return l
}

// known returns the tier, and whether it is known. ua-sandbox is asked at most once.
func (l *tier) known() (int, bool) {
	if l.around > 0 {
		return l.around, true
	}
	return l.probe()
}

// ask makes ua-sandbox find out the tier, and warns the person if it is low.
func (l *tier) ask(x *executor) (int, bool) {
	r, w, err := pipe.New()
	if err != nil {
		return 0, false
	}
	defer r.Close()
	null := x.null.Fd()
	env := x.environ.Of(verdict.ProfileReadOnly, false, environ.Credential{})
	pid, exited, err := x.children.Start(process.Program{
		Argv:  []string{x.shell.sandbox, "--probe", "--json"},
		Env:   env,
		Files: pipe.Files{null, uintptr(w), null},
	})
	syscall.Close(w)
	if err != nil {
		return 0, false
	}
	x.processes.Know(pid, true)
	defer x.processes.Know(pid, false)
	said, err := io.ReadAll(io.LimitReader(r, 64<<10))
	<-exited
	v := gjson.GetBytes(said, "tier")
	if err != nil || v.Type != gjson.Number {
		return 0, false
	}
	if v.Int() < 3 {
		l.env.Warnf("commands are confined only at tier %d: ua-sandbox --probe says why", v.Int())
	}
	return int(v.Int()), true
}
