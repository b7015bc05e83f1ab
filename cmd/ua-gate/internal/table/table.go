// Package table is what is known of programs, variables and paths, whatever a command does with
// them: the rows of commands.txt, which comes with the program, and those of a user's policy.
package table

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"ua/internal/common/verdict"
)

// A Table holds rows: what is known of programs. The embedded one knows some
// thousands; a user's rows come before it. Two goroutines can't share one.
type Table struct {
	rows     map[string]*Row // by program and sub-command: "sort", "git push"
	vars     variables
	paths    pathRules
	examples []Example
	lazy     *lazyText // of the embedded table: the rows that nobody has asked for yet
}

// A lazyText is a table's text in which rows are found by their names.
type lazyText struct {
	text  string
	index []uint32 // where names begin in the text, plus 1, by their hashes; a power of 2 long
	next  int      // where the first line begins that is not in the index yet
	// of the names on the line before it
	program nameHash // that of which the next lines may be sub-commands
	before  nameHash // what stands before each of the names
	naming  bool     // they go on
	vars    bool     // the variables have been read
	paths   bool     // the paths have been
}

// A nameHash is the hash of a name as far as it has been read (FNV-1a).
type nameHash uint32

// A Row is what is known of one program or sub-command, or of several alike: five
// facts and what the program is to a pipe.
type Row struct {
	Name   string // the first of its names
	Level  verdict.Level
	Alone  verdict.Level // without operands; -1 if that is no matter
	Facts  fact
	Reader string // the reader of the program's own language, if it has one
	Flags  []Flag
	Slots  []Slot // what the operands are
	Subs   []sub  // sub-commands without a row of their own, sorted
	Modes  []mode // the row as it is where one of some flags is given
	Why    string // the reason, if it isn't the level's
}

// A fact is something a row says beside its level.
type fact uint32

const (
	FactSharp   fact = 1 << iota // an unknown flag is not known to be harmless
	FactSingle                   // long flags may have one dash
	FactFirst                    // flags end at the first operand
	FactSubs                     // it has sub-commands with rows of their own
	FactScript                   // without operands it runs its input as a script
	FactCode                     // without operands it runs its input as another language
	FactDecode                   // its output is what a decoder made
	FactText                     // its output is text that its arguments decide
	FactSecret                   // its output alone holds secrets
	FactRemote                   // the command it runs stays on another machine
	FactUa                       // it is ua or one of its programs
	FactLoose                    // operands are no paths
	FactMixed                    // sub-commands may stand after operands
	FactPersist                  // its flags may stand after its sub-commands too
	FactThrough                  // -- does not end its flags
	FactGlued                    // a value may be glued to a long flag of one letter
	FactOpen                     // a word that is no sub-command of the table is an operand
	FactBins                     // it is a script or a tool of the project
	FactExact                    // its long flags are never cut short
	FactEnds                     // what it loses are processes
	FactSecrets                  // its output holds secrets, whatever it is asked
	FactPrints                   // it prints or stores its words
	FactHides                    // it shows of what it reads only a size or a digest
	FactShell                    // a builtin that changes the scope in which it stands
	FactFish                     // a builtin that fish alone has: elsewhere it is some program
	FactBundled                  // its first word may be letters of flags without a dash
	FactListed                   // it stands for a sub-command without a row
)

var factNames = []string{"sharp", "single", "first", "subs", "stdin-script", "stdin-code",
	"decode", "text", "secret", "remote", "ua", "loose", "mixed", "persist", "through", "glued",
	"open", "bins", "exact", "ends", "secrets", "prints", "hides", "shell", "fish",
	"bundled"}

// An Effect is what a flag's value or an operand is to the program.
type Effect uint8

const (
	IsNothing Effect = iota // no value
	IsText                  // a value that is no path
	IsGlued                 // a value only if it is glued on
	IsRead                  // a file or folder that is read
	IsList                  // a path that is only looked at
	IsWrite                 // a file or folder that is written
	IsDelete                // a file or folder that is lost
	IsLink                  // what a new link points to
	IsExec                  // a program, perhaps with arguments
	IsScript                // shell text
	IsCode                  // another language
	IsArgv                  // here a command begins, and the rest is its words
	IsNet                   // another machine
	IsDir                   // a folder in which the rest happens
	IsSend                  // data, or @ and a file that is read
	IsPair                  // a word NAME=VALUE
	IsAny                   // a word that the row's reader looks at
	IsKey                   // a key or certificate that the program uses
	IsFolder                // a folder that is made
	IsLoose                 // a path if it holds a slash
	IsDigits                // digits only if they are glued on
	IsPlug                  // code that the program runs: harmless if it is the project's own
	IsTree                  // a folder that gets files of unknown names
	IsOut                   // a file that is made anew, or what the program knows itself
	IsNamed                 // two words: a name, and a file that is read
	IsDefine                // NAME=VALUE, where some names say that the value is a program
	IsProgram               // a file that is run
	IsSetting               // the name of a setting, which may be that of a secret
)

var effectNames = []string{"none", "1", "?", "read", "list", "write", "delete", "link", "exec",
	"script", "code", "argv", "net", "dir", "send", "pair", "any", "key", "folder", "loose",
	"digits", "plug", "tree", "out", "named", "define",
	"program", "setting"}

// A Flag is one flag of a row.
type Flag struct {
	Name   string // with its dashes
	Value  Effect
	Level  verdict.Level // what it raises to, or with base sets
	Base   bool          // level replaces the row's
	All    bool          // what is lost by it is all: held
	Takes  bool          // what is read is lost by it
	Clears bool          // what is written is lost by it before
	Drop   int8          // it takes the place of the first (1) or last (2) operand
}

// A Slot is what the operand at its place is; star is for all further ones.
type Slot struct {
	What  Effect
	Level verdict.Level // the operand's being there raises to this; -1 for none
	Star  bool
}

// A sub is a sub-command that needs no row.
type sub struct {
	name  string
	level verdict.Level
}

// A mode is what holds in place of a row where a flag is given: tar -x and tar -c.
type mode struct {
	Flag string
	Row  *Row
}

// NoLevel is the level of a flag, an operand or a lack of operands that says nothing.
const NoLevel verdict.Level = -1

// ProjectTool is the row of a tool that the project's package manager put there and that
// the table does not know.
func ProjectTool(name string) *Row {
	return &Row{Name: name, Level: verdict.BuildTest, Alone: NoLevel,
		Slots: []Slot{{What: IsPlug, Level: NoLevel, Star: true}}}
}

// Sub returns the level of a sub-command that has no row.
func (r *Row) Sub(name string) (verdict.Level, bool) {
	i, ok := slices.BinarySearchFunc(r.Subs, name, func(s sub,
		name string) int {
		return strings.Compare(s.name, name)
	})
	if !ok {
		return verdict.Destructive, false
	}
	return r.Subs[i].level, true
}

// Slot returns what operand i is. Operands past the last slot are what the row's
// level makes of them: something read, or something written.
func (r *Row) Slot(slots []Slot, i, n int) Slot {
	star := slices.IndexFunc(slots, func(s Slot) bool { return s.Star })
	switch {
	case star >= 0 && i >= star:
		after := len(slots) - star - 1
		if n-i <= after && i > star-1 && n > after || n == 1 && after == 1 && r.Level == verdict.Write &&
			r.Reader == "" {
			return slots[len(slots)-(n-i)] // a lone file that is turned into another lies beside it
		}
		return slots[star]
	case i < len(slots):
		return slots[i]
	case r.Facts&FactLoose != 0:
		return Slot{What: IsLoose, Level: NoLevel}
	case r.Level <= verdict.ReadOnly:
		return Slot{What: IsRead, Level: NoLevel}
	}
	return Slot{What: IsOut, Level: NoLevel}
}

// Runs reports whether a flag of the row starts a program or loses something.
func (r *Row) Runs() bool {
	for i := range r.Flags {
		if f := &r.Flags[i]; f.Value >= IsExec && f.Value <= IsArgv || f.Level >= verdict.Destructive {
			return true
		}
	}
	return false
}

// Owns reports whether the flag is one of the row's.
func (r *Row) Owns(f *Flag) bool {
	for i := range r.Flags {
		if f == &r.Flags[i] {
			return true
		}
	}
	return false
}

// parseFlags reads a row's flags: "-o|--output:write -f:D -n:=R -k:1".
func parseFlags(text string) ([]Flag, error) {
	words := strings.Fields(text)
	flags := make([]Flag, 0, len(words)+strings.Count(text, "|"))
	for _, f := range words {
		name, effects, _ := strings.Cut(f, ":")
		if i := strings.LastIndexByte(f, ':'); f[0] == '?' && i > 0 {
			name, effects = f[:i], f[i+1:]
		}
		if !strings.ContainsAny(f[:1], "-+?") {
			return nil, fmt.Errorf("%q does not begin with a dash", f)
		}
		fl := Flag{Level: NoLevel}
		for e := range strings.SplitSeq(effects, ",") {
			if e == "" {
				continue
			}
			if err := fl.add(e); err != nil {
				return nil, fmt.Errorf("%q: %w", f, err)
			}
		}
		for fl.Name = range strings.SplitSeq(name, "|") {
			flags = append(flags, fl)
		}
	}
	return flags, nil
}

func (f *Flag) add(e string) error {
	level, base := strings.CutPrefix(e, "=")
	if len(level) == 1 && strings.Contains(levelLetters, level) {
		f.Level, f.Base = verdict.Level(strings.Index(levelLetters, level)), base
		return nil
	}
	switch e {
	case "first":
		f.Drop = 1
		return nil
	case "last":
		f.Drop = 2
		return nil
	case "all", "takes", "clears":
		f.All, f.Takes, f.Clears = f.All || e == "all", f.Takes || e == "takes",
			f.Clears || e == "clears"
		return nil
	}
	i := slices.Index(effectNames, e)
	if i < 0 {
		return fmt.Errorf("unknown effect %q", e)
	}
	f.Value = Effect(i)
	return nil
}

// parseSlots reads what a row's operands are: "1 read*", "read* write".
func parseSlots(text string) ([]Slot, error) {
	var slots []Slot
	for _, s := range strings.Fields(text) {
		sl := Slot{Level: NoLevel}
		s, sl.Star = strings.CutSuffix(s, "*")
		for _, e := range strings.Split(s, ",") {
			if len(e) == 1 && strings.Contains(levelLetters, e) {
				sl.Level = verdict.Level(strings.Index(levelLetters, e))
				continue
			}
			i := slices.Index(effectNames, e)
			if i < 0 {
				return nil, fmt.Errorf("unknown effect %q", e)
			}
			sl.What = Effect(i)
		}
		slots = append(slots, sl)
	}
	return slots, nil
}

func parseSubs(lists map[string]string) ([]sub, error) {
	var subs []sub
	for _, name := range sortedKeys(lists) {
		level, err := verdict.ParseLevel(name)
		if err != nil {
			return nil, err
		}
		for _, s := range strings.Fields(lists[name]) {
			subs = append(subs, sub{s, level})
		}
	}
	slices.SortFunc(subs, func(a, b sub) int { return cmp.Compare(a.name, b.name) })
	for i := range subs[:max(0, len(subs)-1)] {
		if subs[i].name == subs[i+1].name {
			return nil, fmt.Errorf("%q stands twice", subs[i].name)
		}
	}
	return subs, nil
}

// levelLetters are the levels' short names in flags and operands.
const levelLetters = "RBWDNPX"

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// An Example is a row's own example: a command and what the row says of it.
type Example struct {
	Command string // the command
	Want    string // its level, or "not LEVEL" if it is above that one
	Row     string // the row that holds it
	Line    int    // where it stands in the table's text
}

// Examples returns the examples of the table's rows, in their order.
func (t *Table) Examples() []Example { return t.examples }
