package main

import (
	"os"
	"strconv"

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
		argv = append(argv, "--quiet") // the tier is told once, see tier.go
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
