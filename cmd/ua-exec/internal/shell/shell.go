// Package shell knows how commands are started: by which shell and through which sandbox.
package shell

import (
	"os"
	"strconv"

	"ua/cmd/ua-exec/internal/call"
	"ua/cmd/ua-exec/internal/options"
	"ua/cmd/ua-exec/internal/process"
	"ua/cmd/ua-exec/internal/statuschannel"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// A Shell starts commands.
type Shell struct {
	Sandbox string   // path of ua-sandbox, "" when there is none
	Nested  bool     // ua-exec is in a sandbox itself
	Pass    []string // variables that a sandbox has to let through
	Prelude *os.File // what bash reads first to report on pipelines

	argv    []string // up to the command's text
	narrows bool     // it is nested and narrows its commands by itself
	opts    *options.Options
}

// Find looks for bash, for sh if there is no bash, and for ua-sandbox. It takes only
// a shell that commands cannot have put on PATH, even with the profile none.
func Find(o *options.Options, nested bool) (*Shell, error) {
	s := &Shell{opts: o, Nested: nested}
	if path := prog.Lookup("bash", o.Write...); path != "" {
		s.argv = []string{path, "--noprofile", "--norc", "-c"}
		s.Prelude = statuschannel.NewSealed(statuschannel.Prelude)
	} else if path := prog.Lookup("sh", o.Write...); path != "" {
		s.argv = []string{path, "-c"}
	} else {
		return nil, prog.Errorf(prog.NotFound, "bash, sh: not found").
			Hintf("a folder on PATH counts only where commands can't write")
	}
	s.Sandbox = prog.Sibling("ua-sandbox")
	s.narrows = nested && canNarrow()
	return s, nil
}

// Narrow returns the lock for the thread that starts a command in the profile. The thread
// then confines itself as ua-sandbox --nested does. The lock is empty if a ua-sandbox
// does that.
func (s *Shell) Narrow(p verdict.Profile) (process.Lock, error) {
	if !s.narrows || s.opts.Unconfined {
		return process.Lock{}, nil
	}
	write := s.opts.Write
	if p == verdict.ProfileReadOnly {
		write = nil
	}
	return narrow(p, write, s.opts.Dir)
}

// Sandboxes reports whether each command is run by a ua-sandbox of its own.
func (s *Shell) Sandboxes() bool { return !s.opts.Unconfined && !s.narrows }

// Command returns the complete argument list that runs text for the call, with the
// descriptors of its report, which pipeline says to hold bash's. folder is the one of
// outputs, which a sandbox that hides it must let the command read, and socket that of jobs.
func (s *Shell) Command(text string, c *call.Call, pipeline bool, folder, socket string) []string {
	p := c.Profile
	var fds []string
	if len(text) >= statuschannel.ArgMax {
		text, fds = statuschannel.FromScript, append(fds, strconv.Itoa(statuschannel.ScriptFD))
	}
	if !s.Sandboxes() {
		return append(s.argv[:len(s.argv):len(s.argv)], text)
	}
	argv := []string{s.Sandbox}
	if s.Nested {
		argv = append(argv, "--nested")
	}
	argv = append(argv, "--profile", string(p))
	if p != verdict.ProfileReadOnly {
		argv = prog.Repeat(argv, "--write", s.opts.Write)
	}
	argv = prog.Repeat(argv, "--grant", c.Grant.Write)
	argv = prog.Repeat(argv, "--net-allow", c.Grant.Host)
	if !s.Nested {
		argv = append(argv, "--quiet") // the tier is told once
		argv = prog.Repeat(argv, "--read", s.opts.Read)
		argv = prog.Repeat(argv, "--env", s.Pass)
		if folder != "" {
			argv = append(argv, "--read", folder)
		}
		if c.Delegates && socket != "" {
			argv = append(argv, "--socket", socket)
		}
		if p == verdict.ProfileNetwork {
			argv = prog.Repeat(argv, "--net-allow", s.opts.NetAllow)
			argv = append(argv, "--net-log-fd", strconv.Itoa(statuschannel.NetLogFD))
		}
	}
	argv = append(argv, "--status-fd", strconv.Itoa(statuschannel.NotRunFD))
	if pipeline {
		fds = append(fds, strconv.Itoa(statuschannel.StatusFD), strconv.Itoa(statuschannel.PreludeFD))
	}
	argv = append(prog.Repeat(argv, "--fd", fds), "--")
	return append(append(argv, s.argv...), text)
}
