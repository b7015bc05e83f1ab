// Package agent is the agent of a session: it acts on a # line. The shell's hook waits
// while a turn goes on. For each command that may run, the hook lets the shell go to its
// prompt, where the command is typed, and waits again after the command. Everything here
// runs on the goroutine that owns the terminal.
package agent

import (
	"time"

	"ua/cmd/ua-shell/internal/integration"
	"ua/cmd/ua-shell/internal/keys"
	"ua/cmd/ua-shell/internal/relay"
	"ua/cmd/ua-shell/internal/screen"
	"ua/cmd/ua-shell/internal/shellcommand"
	"ua/cmd/ua-shell/internal/stages"
	"ua/cmd/ua-shell/internal/tracker"
	"ua/internal/common/journal"
	"ua/internal/common/redact"
	"ua/internal/common/style"
)

// Options are what the command line and the session set for the agent.
type Options struct {
	Shell   string // its name: bash, zsh, fish
	Profile string // of the sandbox around the shell, "" for none
	Began   string // the folder in which the session has begun
	Terms   []byte // on which it has, for the run event
	Lines   int    // of a command's output that the user ran, for the model
	Version string
	PTY     int    // the shell's
	TTY     string // the name of its other end
	Trouble error  // why there can be no agent, nil if there can
	// Reach lets the sandbox around the shell reach the hosts, and no others besides its own.
	Reach func(hosts []string) error
	// LendTerminal gives the terminal to a program, as for an editor, and waits for it.
	LendTerminal func(run func() error) error
}

// An Agent is the agent of one session.
type Agent struct {
	Options
	relay   *relay.Relay
	tracker *tracker.Tracker
	meet    *integration.Integration
	ring    *stages.Ring
	screen  *screen.Screen
	secrets *redact.Set

	names   []string                // of variables that the model has set in the shell
	told    map[string]bool         // the subagents that the journal has, by ID
	begun   bool                    // the journal has its first lines
	history []*shellcommand.Command // what the user ran since the last question
	running *shellcommand.Command   // runs now, nil for nothing
	line    string                  // was typed since the hook has waited
	got     bool                    // a line was typed, perhaps an empty one
	turn    *turn                   // goes on, nil for none
	held    []byte                  // what was typed meanwhile
	typedAt time.Time               // when something was typed last
	tally   journal.Tally
	started time.Time

	stream keys.Stream // of what comes from the terminal

	// Of the shell's hook:
	poked    time.Time // when somebody said that it waits to be asked
	looking  bool      // whether it does is being looked at
	waiting  bool      // it waits for an answer
	meetings int       // how often it has told what the shell is at
	checking bool      // whether the shell is at its prompt will be looked at
	mute     bool      // it was lost, and the person knows
	doubted  bool      // marks came that are not the shell's
	warned   bool      // the person knows of them
	unsure   bool      // a # line came that may be somebody else's
}

// A phase says what a turn is doing.
type phase int

const (
	thinking  phase = iota // the model is asked, or what it said is dealt with
	judging                // the gate has a call
	asking                 // a question to the person is open
	probing                // the shell's hook was asked about a call
	typing                 // the shell was let go, and its prompt is waited for
	typed                  // a command is typed
	executing              // it runs
)

// A turn is the work from a # line to the next prompt.
type turn struct {
	*Agent
	phase     phase
	began     time.Time
	asked     time.Time // when the model was
	lines     [][]byte  // what the model said and is still to be dealt with
	done      bool      // the answer is whole
	calls     int       // of this answer that were dealt with
	unkept    int       // results of calls that the journal does not have yet
	questions int       // to the model
	commands  int       // that were run
	planned   bool      // the plan of this answer was shown
	dropped   string    // why further calls of this answer are not run, "" if they are
	over      bool      // the model is not asked again
	call      *call
	ask       *question
	ran       time.Time // when the command was started
	stopped   time.Time // when Ctrl-C came last
	ticker    *time.Timer
	tally     journal.Tally
	failed    bool
}

// A call is a command that the model wants to run.
type call struct {
	id, command string
	cwd         string        // in which it was judged
	limit       time.Duration // 0: none
	delegates   bool
	hosts       []string     // that it may reach
	unasked     bool         // it is allowed, and nobody was asked about it
	judged      bool         // a model has allowed it
	live        bool         // the model wants it in the shell itself
	here        bool         // we ask the person about it, not the gate
	look        string       // what the hook is asked about it
	read        *stages.Read // runs beside the shell, nil for not yet
	own         bool         // it is the person's #! line, and the model knows nothing of it
	key         string       // that has the shell take the command, "" to paste it
	other       string       // what ran in place of the command, "" for nothing
	failure     string       // why the shell did not run it, "" if it did or may still
	limited     bool         // the limit has ended it
	interrupted bool         // the person has
}

// A question asks the person about a call.
type question struct {
	call     string // its id
	event    []byte
	shown    bool
	open     bool // its choices are shown: a key answers it
	answered bool
	quit     bool
	whole    bool   // the command is shown however long it is
	here     bool   // it is ours, not the gate's
	line     []byte // what is typed
}

// whileAt does f once d has passed, if the turn is at that call still, and in that phase.
func (t *turn) whileAt(c *call, p phase, d time.Duration, f func()) {
	t.relay.After(d, func() {
		if t.turn == t && t.call == c && t.phase == p {
			f()
		}
	})
}

// printable returns text in which nothing drives the terminal.
func printable(text string) string { return style.Printable(text) }

// tick moves the spinner while the model or the gate is waited for.
func (t *turn) tick() {
	if t.ticker != nil {
		t.ticker.Stop()
	}
	t.ticker = t.relay.After(120*time.Millisecond, func() {
		if what := t.awaits(); t.turn == t && what != "" {
			t.screen.Spin(what, t.asked)
			t.tick()
		}
	})
}

// awaits says what is waited for, "" for nothing that takes time.
func (t *turn) awaits() string {
	switch {
	case t.call != nil && t.call.read != nil:
		return "running"
	case t.phase == thinking, t.phase == judging, t.ask != nil && !t.ask.shown:
		return "thinking"
	}
	return ""
}
