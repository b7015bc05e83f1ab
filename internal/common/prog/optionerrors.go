package prog

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"ua/internal/common/style"
)

// usageError turns an error of package flag into one in our words.
func usageError(fs *flag.FlagSet, err error) error {
	msg := err.Error()
	if name, ok := strings.CutPrefix(msg, "flag provided but not defined: -"); ok {
		name = strings.TrimLeft(name, "-")
		if strings.ContainsAny(name, " \n") { // words, as of a list
			return Errorf(Trouble, "%q looks like an option", style.FirstLine("-"+name, 40)).
				Hintf(`put "--" before what begins with "-" and is no option`)
		}
		e := Errorf(Trouble, "%w", UnknownOption(name))
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
		if why == "parse error" { // of package flag's own, only switches are used
			why = "want true or false"
		}
		return Errorf(Trouble, "%s: bad value %s: %s", Dashed(name), value, why)
	}
	return Errorf(Trouble, "%s", msg)
}

// An UnknownOption is the name of an option that a program does not have.
type UnknownOption string

// Error says so.
func (name UnknownOption) Error() string {
	return fmt.Sprintf("unknown option %q", Dashed(string(name)))
}

// separate takes apart the short options in front of the operands that stand together, or
// with a value behind them: -qm X is -q -m X, and -oFILE is -o FILE (POSIX, XBD 12.2). A word
// that is no such group stays as it is.
func separate(fs *flag.FlagSet, args []string) (list []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" || len(arg) < 2 || arg[0] != '-' {
			return append(list, args[i:]...)
		}
		name, _, given := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		options := []string{arg}
		if fs.Lookup(name) == nil && arg[1] != '-' {
			if group := bundle(fs, arg[1:]); group != nil {
				options = group
				name, _, given = strings.Cut(group[len(group)-1][1:], "=")
			}
		}
		list = append(list, options...)
		if f := fs.Lookup(name); f != nil && !given && !isBool(f) && i+1 < len(args) {
			i++
			list = append(list, args[i])
		}
	}
	return list
}

// bundle returns the options of a group of one-letter options, nil if it is none.
func bundle(fs *flag.FlagSet, letters string) (list []string) {
	for i := range len(letters) {
		option := "-" + letters[i:i+1]
		switch f := fs.Lookup(letters[i : i+1]); {
		case f == nil:
			return nil
		case !isBool(f) && i+1 < len(letters):
			return append(list, option+"="+letters[i+1:])
		}
		list = append(list, option)
	}
	return list
}

// isBool reports whether an option takes no value.
func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// A valued is the value of an option that does not take the empty string. A script whose
// variable is not set would otherwise get what holds without the option.
type valued struct{ flag.Value }

// mayBeEmpty reports whether an argument can give an option an empty value.
func mayBeEmpty(arg string) bool { return arg == "" || strings.HasSuffix(arg, "=") }

// wantValue has an option that takes a value refuse an empty one.
func wantValue(f *flag.Flag) {
	if isBool(f) {
		return
	}
	if _, done := f.Value.(valued); !done {
		f.Value = valued{f.Value}
	}
}

// Set sets the value. The option's own words for a bad value come first.
func (v valued) Set(s string) error {
	if err := v.Value.Set(s); err != nil || s != "" {
		return err
	}
	return errors.New("it is empty")
}

// Dashed returns an option in the form of the manual: -f or --follow.
func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// names returns the options with more than one letter. Those with one letter are close to
// any short word.
func names(fs *flag.FlagSet) (list []string) {
	fs.VisitAll(func(f *flag.Flag) {
		if len(f.Name) > 1 {
			list = append(list, f.Name)
		}
	})
	return list
}
