// Package machine is the machine on which a command runs: where its paths lead and what is there,
// what reading and writing that means, which program a name starts, and what the command has put
// there before.
package machine

import (
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
)

// Options are what a report depends on besides the command. They hold the parser
// and the table between commands, so two goroutines can't share them.
type Options struct {
	Cwd       string       // the folder in which the command starts; "" is unknown
	Home      string       // the user's home; "" is unknown
	Shell     string       // what will run it: bash (also ""), sh, zsh or fish
	Overlay   *table.Table // the user's rows, asked before the embedded table; may be nil
	Workspace []string     // folders that count as inside besides Cwd and the temporary ones
	Resolve   bool         // follow the symbolic links that exist

	Parser    shell.Parser
	table     *table.Table
	present   table.Place // that of Cwd,
	presentOf [2]string   // as these Cwd and Home say
}

// embedded returns the table that comes with the program.
func (o *Options) embedded() *table.Table {
	if o.table == nil {
		o.table = table.Embedded()
	}
	return o.table
}

// A State is what is known of the machine on which a command runs, and what the command has done
// there so far.
type State struct {
	*Options
	Simple  int       // how many simple commands it has
	Written []Written // the files that it writes
	Links   []Link    // the symbolic links that it makes
	Made    []string  // the folders that it makes
	last    lookedUp  // the place last asked for
}

// A Written is a file that the command writes, and what is known of it.
type Written struct {
	File  string
	Text  string
	Known bool       // text is all that is in it
	Sure  bool       // the command has made it anew
	From  shell.Flow // what is in it carries this
}

// A Link is a symbolic link that the command itself makes.
type Link struct {
	Name   string // its place
	Target string // the place that it leads to
}

// A lookedUp is the place last asked for: several rules ask in turn.
type lookedUp struct {
	text, cwd string
	links     int
	at        table.Place
}

// MaxSimple is how many simple commands of one text are read, those inside others included. What
// is beyond is Unread.
const MaxSimple = 2000

// Row returns the row of that name, the user's first.
func (m *State) Row(name string) *table.Row {
	if r := m.Overlay.Find(name); r != nil {
		return r
	}
	return m.embedded().Find(name)
}

// ChangesShell reports whether a builtin changes the scope in which it stands.
func (m *State) ChangesShell(name string) bool {
	r := m.Row(name)
	return r != nil && r.Facts&table.FactShell != 0
}
