package main

import (
	"bufio"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/broker"
	"ua/internal/common/chain"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// serve makes tries for commands whose sandbox keeps them from making any. Its operands
// are ua-sandbox and the options of that sandbox.
func serve(env *prog.Env, args []string) error {
	s := &broker.Server{AtOnce: defaultAtOnce}
	fs, widest := prog.Flags(), defaultProfileMax
	prog.Descriptor(fs, &s.Socket, "socket-fd")
	var secretFD int
	prog.Descriptor(fs, &secretFD, "secret-fd")
	prog.Number(fs, &s.AtOnce, "at-once", s.AtOnce, 1, 0)
	fs.StringVar(&s.Lives, "lives", "", "")
	prog.List(fs, &s.Except, "except")
	prog.Choice(fs, &widest, "profile-max", widest, verdict.Profiles()...)
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if s.Socket < 0 || secretFD < 0 || s.Lives == "" || fs.NArg() == 0 {
		return prog.Errorf(prog.Trouble, "serve needs --socket-fd, --secret-fd, --lives and "+
			"the sandbox").
			Hintf("ua-try serve --socket-fd N --secret-fd N --lives DIR -- ua-sandbox [options]")
	}
	s.Around, s.Widest = fs.Args(), verdict.Profile(widest)
	unix.CloseOnExec(s.Socket)
	// By a descriptor, since everybody can read arguments.
	secret, err := bufio.NewReader(os.NewFile(uintptr(secretFD), "secret")).ReadString('\n')
	if s.Secret = strings.TrimSpace(secret); err != nil || s.Secret == "" {
		return prog.Errorf(prog.Trouble, "--secret-fd: no line with a secret")
	}
	unix.CloseOnExec(secretFD)
	if s.Dir, err = syscall.Getwd(); err == nil {
		s.Program, err = os.Executable()
	}
	if err != nil {
		return prog.Errorf(prog.Trouble, "serve: %w", err)
	}
	return s.Serve(chain.Catch())
}

// enter becomes the command of a request, inside of the view and the sandbox.
func enter(*prog.Env, []string) error {
	name, err := broker.Enter()
	return chain.StartError(name, err)
}
