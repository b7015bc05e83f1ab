// Package prog holds the shape that every program's main shares: it parses
// options, prints help, version and errors, and is the only place that exits.
package prog

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"ua/internal/common/style"
)

// version is set by the linker (Makefile).
var version = "devel"

// Version returns the version of the program, as git describes it.
func Version() string { return version }

// An Error is an error that knows its exit status and, perhaps, what to do.
type Error struct {
	Status int
	Err    error
	Hint   string
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an Error with the status.
func Errorf(status int, format string, a ...any) *Error {
	return &Error{Status: status, Err: fmt.Errorf(format, a...)}
}

// Hintf gives e a hint, one line that says what to do.
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

// Main runs a program by its name and exits with the status of its error: that
// of an Error or an Exit, otherwise Trouble; 0 for nil.
func Main(name string, run func(*Env) error) {
	closeStdout()
	env := &Env{Name: name, Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout,
		Stderr: os.Stderr}
	if doubtful() {
		env.Warnf("stdout is /dev/null, or closed: what is printed is lost")
		env.Warnf("hint: built by make, %s tells the two apart", name)
	}
	err := descriptorsLeft()
	if err == nil {
		err = run(env)
	}
	if env.lost != nil && (err == nil || err == Exit(0)) {
		err = env.lost
	}
	os.Exit(env.Report(err))
}

// Printf prints on stdout. What can't be written, as on a full disk, is an error
// of the program at its end.
func (env *Env) Printf(format string, a ...any) {
	if _, err := fmt.Fprintf(env.Stdout, format, a...); err != nil && env.lost == nil {
		env.lost = err
	}
}

// Out returns stdout for what came from a model, a command or a file. Off a terminal
// its bytes are passed as they are; on one they are shown so that none drives it
// (style.Escaper).
func (env *Env) Out() io.Writer {
	if env.out == nil {
		env.out = env.Stdout
		if term.IsTerminal(int(env.Stdout.Fd())) {
			env.out = style.NewEscaper(env.Stdout)
		}
	}
	return env.out
}

// Report prints err as the program's error, if it has words, and returns the
// exit status that it stands for.
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

// Warnf prints one line for a person on stderr, behind the program's name. What
// it says may come from a server or a file: it drives no terminal.
func (env *Env) Warnf(format string, a ...any) {
	fmt.Fprintf(env.Stderr, "%s: %s\n", env.Name, style.Printable(fmt.Sprintf(format, a...)))
}

// Flags returns an empty set of options for Parse.
func Flags() *flag.FlagSet {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	return fs
}

// Parse parses args into fs; the operands are fs.Args(). --help prints help on
// stdout and --version the version, and both end the program with status 0. A
// bad option is an Error of Trouble.
func (env *Env) Parse(fs *flag.FlagSet, args []string, help string) error {
	var showVersion bool
	if fs.Lookup("version") == nil {
		fs.BoolVar(&showVersion, "version", false, "")
	}
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		env.Printf("%s\n", strings.TrimSpace(help))
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
