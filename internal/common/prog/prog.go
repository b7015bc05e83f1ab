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
	"syscall"
	"time"

	"golang.org/x/term"

	"ua/internal/common/style"
)

// Exit statuses (ua(1), EXIT STATUS). A program that runs another one gives
// back that one's own status, or 128+n for signal n.
const (
	No          = 1   // no, or the task failed
	Trouble     = 2   // usage, bad input, bad configuration
	TryLater    = 75  // trouble that may pass (EX_TEMPFAIL of sysexits.h)
	Limit       = 124 // a time or budget limit ended it
	LoaderUsage = 125 // the chain loader's own usage
	NotConfined = 126 // not run: the sandbox could not be applied
	NotFound    = 127 // the command was not found
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

// Exit ends the program with the status and no word.
type Exit int

func (e Exit) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

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
	err := run(env)
	if env.lost != nil && (err == nil || err == Exit(0)) {
		err = env.lost
	}
	os.Exit(env.Report(err))
}

// Status returns the exit status of what the system would not do: TryLater where it was out
// of processes, memory or descriptors, which passes, and else Trouble.
func Status(err error) int {
	for _, passing := range []error{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE,
		syscall.ENFILE} {
		if errors.Is(err, passing) {
			return TryLater
		}
	}
	return Trouble
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

// usageError puts an error of package flag into the house's words.
func usageError(fs *flag.FlagSet, err error) error {
	msg := err.Error()
	if name, ok := strings.CutPrefix(msg, "flag provided but not defined: -"); ok {
		name = strings.TrimLeft(name, "-")
		e := Errorf(Trouble, "unknown option %q", Dashed(name))
		if near := Nearest(name, names(fs)); near != "" {
			return e.Hintf("did you mean %s?", Dashed(near))
		}
		return e.Hintf("--help lists the options")
	}
	if name, ok := strings.CutPrefix(msg, "flag needs an argument: -"); ok {
		return Errorf(Trouble, "option %s needs a value", Dashed(strings.TrimLeft(name, "-")))
	}
	if rest, ok := strings.CutPrefix(strings.Replace(msg, "boolean ", "", 1),
		"invalid value "); ok {
		value, rest, _ := strings.Cut(strings.Replace(rest, " for -", " for flag -", 1),
			" for flag -")
		name, why, _ := strings.Cut(rest, ": ")
		return Errorf(Trouble, "%s: bad value %s: %s", Dashed(name), value, wanted(fs, name, why))
	}
	return Errorf(Trouble, "%s", msg)
}

// Dashed returns an option as the manual writes it: -f or --follow.
func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// names returns the options of more than a letter, which is near to any short word.
func names(fs *flag.FlagSet) (list []string) {
	fs.VisitAll(func(f *flag.Flag) {
		if len(f.Name) > 1 {
			list = append(list, f.Name)
		}
	})
	return list
}

// wanted returns what the option takes, where package flag only says that it could not
// parse the value; any other reason is an option's own, in its words.
func wanted(fs *flag.FlagSet, name, why string) string {
	if why == "value out of range" {
		return "want a smaller number"
	}
	f := fs.Lookup(name)
	if why != "parse error" || f == nil {
		return why
	}
	v, ok := f.Value.(flag.Getter)
	if !ok {
		return why
	}
	switch v.Get().(type) {
	case time.Duration:
		return "want a duration such as 90s or 10m"
	case bool:
		return "want true or false"
	case float64:
		return "want a number such as 0.5"
	}
	return "want a whole number"
}

// Nearest returns the name in list that is closest to word, or "" when none is
// within a third of its length in edits.
func Nearest(word string, list []string) string {
	best, at := "", len(word)/3+1
	for _, name := range list {
		if d := distance(word, name); d <= at && (best == "" || d < at) {
			best, at = name, d
		}
	}
	return best
}

// distance returns the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			last, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, last+cost)
		}
	}
	return row[len(b)]
}
