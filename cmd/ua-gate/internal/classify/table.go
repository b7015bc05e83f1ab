package classify

import (
	"slices"
	"strings"

	"ua/internal/common/verdict"
)

// A Table holds rows: what is known of programs. The embedded one knows some
// thousands; a user's rows come before it. Two goroutines can't share one.
type Table struct {
	rows     map[string]*row // by program and sub-command: "sort", "git push"
	vars     variables
	paths    pathRules
	examples []Example
	lazy     *lazyText // of the embedded table: the rows that nobody has asked for yet
}

// A row is what is known of one program or sub-command, or of several alike: five
// facts and what the program is to a pipe.
type row struct {
	name   string // the first of its names
	level  verdict.Level
	alone  verdict.Level // without operands; -1 if that is no matter
	facts  fact
	reader string // the reader of the program's own language, if it has one
	flags  []flag
	slots  []slot // what the operands are
	subs   []sub  // sub-commands without a row of their own, sorted
	modes  []mode // the row as it is where one of some flags is given
	why    string // the reason, if it isn't the level's
}

// A fact is something a row says beside its level.
type fact uint32

const (
	factSharp   fact = 1 << iota // an unknown flag is not known to be harmless
	factSingle                   // long flags may have one dash
	factFirst                    // flags end at the first operand
	factSubs                     // it has sub-commands with rows of their own
	factScript                   // without operands it runs its input as a script
	factCode                     // without operands it runs its input as another language
	factDecode                   // its output is what a decoder made
	factText                     // its output is text that its arguments decide
	factSecret                   // its output alone holds secrets
	factRemote                   // the command it runs stays on another machine
	factUa                       // it is ua or one of its programs
	factLoose                    // operands are no paths
	factMixed                    // sub-commands may stand after operands
	factPersist                  // its flags may stand after its sub-commands too
	factThrough                  // -- does not end its flags
	factGlued                    // a value may be glued to a long flag of one letter
	factOpen                     // a word that is no sub-command of the table is an operand
	factBins                     // it is a script or a tool of the project
	factExact                    // its long flags are never cut short
	factEnds                     // what it loses are processes
	factSecrets                  // its output holds secrets, whatever it is asked
	factPrints                   // it prints or stores its words
	factHides                    // it shows of what it reads only a size or a digest
	factShell                    // a builtin that changes the scope in which it stands
	factFish                     // a builtin that fish alone has: elsewhere it is some program
	factBundled                  // its first word may be letters of flags without a dash
	factListed                   // it stands for a sub-command without a row
)

var factNames = []string{"sharp", "single", "first", "subs", "stdin-script", "stdin-code",
	"decode", "text", "secret", "remote", "ua", "loose", "mixed", "persist", "through", "glued",
	"open", "bins", "exact", "ends", "secrets", "prints", "hides", "shell", "fish",
	"bundled"}

// An effect is what a flag's value or an operand is to the program.
type effect uint8

const (
	isNothing effect = iota // no value
	isText                  // a value that is no path
	isGlued                 // a value only if it is glued on
	isRead                  // a file or folder that is read
	isList                  // a path that is only looked at
	isWrite                 // a file or folder that is written
	isDelete                // a file or folder that is lost
	isLink                  // what a new link points to
	isExec                  // a program, perhaps with arguments
	isScript                // shell text
	isCode                  // another language
	isArgv                  // here a command begins, and the rest is its words
	isNet                   // another machine
	isDir                   // a folder in which the rest happens
	isSend                  // data, or @ and a file that is read
	isPair                  // a word NAME=VALUE
	isAny                   // a word that the row's reader looks at
	isKey                   // a key or certificate that the program uses
	isFolder                // a folder that is made
	isLoose                 // a path if it holds a slash
	isDigits                // digits only if they are glued on
	isPlug                  // code that the program runs: harmless if it is the project's own
	isTree                  // a folder that gets files of unknown names
	isOut                   // a file that is made anew, or what the program knows itself
	isNamed                 // two words: a name, and a file that is read
	isDefine                // NAME=VALUE, where some names say that the value is a program
	isProgram               // a file that is run
	isSetting               // the name of a setting, which may be that of a secret
)

var effectNames = []string{"none", "1", "?", "read", "list", "write", "delete", "link", "exec",
	"script", "code", "argv", "net", "dir", "send", "pair", "any", "key", "folder", "loose",
	"digits", "plug", "tree", "out", "named", "define",
	"program", "setting"}

// A flag is one flag of a row.
type flag struct {
	name   string // with its dashes
	value  effect
	level  verdict.Level // what it raises to, or with base sets
	base   bool          // level replaces the row's
	all    bool          // what is lost by it is all: held
	takes  bool          // what is read is lost by it
	clears bool          // what is written is lost by it before
	drop   int8          // it takes the place of the first (1) or last (2) operand
}

// A slot is what the operand at its place is; star is for all further ones.
type slot struct {
	what  effect
	level verdict.Level // the operand's being there raises to this; -1 for none
	star  bool
}

// A sub is a sub-command that needs no row.
type sub struct {
	name  string
	level verdict.Level
}

// A mode is what holds in place of a row where a flag is given: tar -x and tar -c.
type mode struct {
	flag string
	row  *row
}

const noLevel verdict.Level = -1

// find returns the row of that name, or nil.
func (t *Table) find(name string) *row {
	if t == nil {
		return nil
	}
	if r, ok := t.rows[name]; ok || t.lazy == nil {
		return r
	}
	return t.read(name)
}

// row returns the row of that name, the user's first.
func (w *machine) row(name string) *row {
	if r := w.o.Overlay.find(name); r != nil {
		return r
	}
	return w.o.embedded().find(name)
}

// sub returns the level of a sub-command that has no row.
func (r *row) sub(name string) (verdict.Level, bool) {
	i, ok := slices.BinarySearchFunc(r.subs, name, func(s sub,
		name string) int {
		return strings.Compare(s.name, name)
	})
	if !ok {
		return destructive, false
	}
	return r.subs[i].level, true
}

// slot returns what operand i is. Operands past the last slot are what the row's
// level makes of them: something read, or something written.
func (r *row) slot(slots []slot, i, n int) slot {
	star := slices.IndexFunc(slots, func(s slot) bool { return s.star })
	switch {
	case star >= 0 && i >= star:
		after := len(slots) - star - 1
		if n-i <= after && i > star-1 && n > after || n == 1 && after == 1 && r.level == write &&
			r.reader == "" {
			return slots[len(slots)-(n-i)] // a lone file that is turned into another lies beside it
		}
		return slots[star]
	case i < len(slots):
		return slots[i]
	case r.facts&factLoose != 0:
		return slot{what: isLoose, level: noLevel}
	case r.level <= readOnly:
		return slot{what: isRead, level: noLevel}
	}
	return slot{what: isOut, level: noLevel}
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
