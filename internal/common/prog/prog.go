// Package prog holds what the main function of every program shares. It parses options,
// prints help, version and errors, and is the only place that exits.
package prog

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"ua/internal/common/descriptor"
	"ua/internal/common/style"

	"golang.org/x/term"
)

// version is set by the linker (Makefile).
var version = "devel"

// Version returns the version of the program, as git describes it.
func Version() string { return version }

// An Error is an error with an exit status and, perhaps, a hint at what to do.
type Error struct {
	Status int
	Err    error
	Hint   string
}

// Error returns the error's text, without the hint.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an Error with the status.
func Errorf(status int, format string, a ...any) *Error {
	return &Error{Status: status, Err: fmt.Errorf(format, a...)}
}

// Hintf sets e's hint, one line that says what to do, and returns e.
func (e *Error) Hintf(format string, a ...any) *Error {
	e.Hint = fmt.Sprintf(format, a...)
	return e
}

// An Env is what a program gets from its caller.
type Env struct {
	Name   string
	Args   []string // without the program's name
	Stdin  *os.File
	Stdout *os.File
	Stderr *os.File

	out  io.Writer // Out's
	lost error     // the first thing that Printf could not write
}

// Main runs a program by its name and exits with the status of its error: that of an
// Error or an Exit, Trouble for any other, and 0 for nil.
func Main(name string, run func(*Env) error) {
	Stage(name, func(env *Env) error {
		env.endAtQuit()
		return run(env)
	})
}

// Stage is Main for a process that a program starts of itself, and that is to end with it: no key
// of a terminal is meant for it, and it starts without the two threads that signals take.
func Stage(name string, run func(*Env) error) {
	env := &Env{Name: name, Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout,
		Stderr: os.Stderr}
	err := descriptorsLeft()
	if err == nil {
		err = run(env)
	}
	if env.lost != nil && (err == nil || err == Exit(0)) {
		err = env.lost
	}
	os.Exit(env.Report(err))
}

// Printf prints on stdout. If that fails, as on a full disk, the program ends with an
// error.
func (env *Env) Printf(format string, a ...any) {
	_, err := fmt.Fprintf(descriptor.Writer(env.Stdout), format, a...)
	if err != nil && env.lost == nil {
		env.lost = err
	}
}

// Page prints lines that are folded on a terminal.
func (env *Env) Page(text string) {
	for line := range strings.Lines(text) {
		env.Printf("%s\n", style.Fold(env.Stdout, strings.TrimSuffix(line, "\n")))
	}
}

// Outf prints as Printf does what has text from a model, a command, a file or the
// environment in it: nothing of it drives a terminal (Out).
func (env *Env) Outf(format string, a ...any) {
	if _, err := fmt.Fprintf(env.Out(), format, a...); err != nil && env.lost == nil {
		env.lost = err
	}
}

// Out returns stdout for text from a model, a command or a file. Off a terminal the bytes
// pass unchanged. On one, they are shown so that nothing drives the terminal
// (style.Escaper).
func (env *Env) Out() io.Writer {
	if env.out == nil {
		env.out = descriptor.Writer(env.Stdout)
		if term.IsTerminal(int(env.Stdout.Fd())) {
			env.out = style.NewEscaper(env.out)
		}
	}
	return env.out
}

// Report prints err as the program's error, unless it is an Exit, and returns the exit
// status for it.
func (env *Env) Report(err error) int {
	var quiet Exit
	if err == nil {
		return 0
	} else if errors.As(err, &quiet) {
		return int(quiet)
	}
	env.Warnf("%v", err)
	var e *Error
	if !errors.As(err, &e) {
		return Trouble
	}
	if e.Hint != "" {
		env.Warnf("hint: %s", e.Hint)
	}
	return e.Status
}

// Warnf prints one line for a person on stderr, after the program's name; a terminal gets it
// folded. The text may come from a server or a file, so it is made printable.
func (env *Env) Warnf(format string, a ...any) {
	line := env.Name + ": " + style.Printable(fmt.Sprintf(format, a...))
	fmt.Fprintln(descriptor.Writer(env.Stderr), style.Fold(env.Stderr, line))
}

// Flags returns an empty set of options for Parse.
func Flags() *flag.FlagSet {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

// Parse parses args into fs; the operands are fs.Args(). --help prints help and --version
// the version, and both return Exit(0). A bad option is an Error with the status Trouble.
func (env *Env) Parse(fs *flag.FlagSet, args []string, help string) error {
	var showVersion bool
	if fs.Lookup("version") == nil {
		fs.BoolVar(&showVersion, "version", false, "")
	}
	if slices.ContainsFunc(args, mayBeEmpty) {
		fs.VisitAll(wantValue)
	}
	err := fs.Parse(separate(fs, args))
	if errors.Is(err, flag.ErrHelp) {
		env.Page(strings.TrimSpace(help) + "\n")
		return Exit(0)
	}
	if err != nil {
		return usageError(fs, err)
	}
	if showVersion {
		env.Printf("%s %s\n", env.Name, version)
		return Exit(0)
	}
	return nil
}

// Exit statuses (ua(1), EXIT STATUS). A program that runs another one returns that one's
// status, or 128+n for signal n.
const (
	No          = 1   // no, or the task failed
	Trouble     = 2   // usage, bad input, bad configuration
	TryLater    = 75  // trouble that may pass (EX_TEMPFAIL of sysexits.h)
	Limit       = 124 // a time or budget limit ended it
	LoaderUsage = 125 // the chain loader's own usage
	NotConfined = 126 // not run: the sandbox could not be applied
	NotFound    = 127 // the command was not found
)

// An Exit is an error that ends the program with its status and prints nothing.
type Exit int

// Error returns the status in words.
func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// Ended returns the exit status of a process that has ended, 128+n for signal n, and NotFound for
// one that was not started.
func Ended(p *os.ProcessState) int {
	if p == nil {
		return NotFound
	}
	if ws, ok := p.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return p.ExitCode()
}

// Status returns the exit status for a system error: TryLater if processes, memory or
// descriptors were lacking, which passes, and Trouble otherwise.
func Status(err error) int {
	for _, passing := range []error{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE,
		syscall.ENFILE} {
		if errors.Is(err, passing) {
			return TryLater
		}
	}
	return Trouble
}
