package prog

import (
	"errors"
	"flag"
	"strings"
	"time"
)

// usageError turns an error of package flag into one in our words.
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

// A valued is the value of an option that does not take the empty string. A script whose
// variable is not set would otherwise get what holds without the option.
type valued struct{ flag.Value }

// mayBeEmpty reports whether an argument can give an option an empty value.
func mayBeEmpty(arg string) bool { return arg == "" || strings.HasSuffix(arg, "=") }

// wantValue has an option that takes a value refuse an empty one.
func wantValue(f *flag.Flag) {
	if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
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

// wanted returns what the option takes if package flag says only that it could not parse
// the value. Any other reason comes from the option itself.
func wanted(fs *flag.FlagSet, name, why string) string {
	if why == "value out of range" {
		return "want a smaller number"
	}
	f := fs.Lookup(name)
	if why != "parse error" || f == nil {
		return why
	}
	value := f.Value
	if v, ok := value.(valued); ok {
		value = v.Value
	}
	v, ok := value.(flag.Getter)
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
