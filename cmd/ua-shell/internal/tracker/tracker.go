// Package tracker follows what a shell is doing by the marks that it prints for us. It
// tells the terminal outside by the marks that terminals know: OSC 133 (semantic prompts)
// and OSC 7 (the folder).
package tracker

import (
	"net/url"
	"os"
	"strconv"
	"strings"

	"ua/cmd/ua-shell/internal/mark"
)

// A State is what the shell is doing.
type State int

// The states, in the order that a command goes through them.
const (
	Unknown State = iota // it has not said anything yet
	Idle                 // between two commands, perhaps in a hook
	Drawing              // it draws its prompt
	Input                // its line editor reads a line
	Running              // a command runs
)

// Modes of a terminal (xterm's ctlseqs).
const (
	modePaste = 2004 // what is pasted comes in brackets
	modeAlt   = 1049 // the alternate screen; 47 and 1047 are older ones
)

// A Tracker takes the events of a mark.Parser and calls its functions when something has
// happened.
type Tracker struct {
	Print func([]byte) // takes the marks for the terminal outside
	Ready func()       // the shell has told something for the first time
	// the line editor reads a line; once more when it draws the prompt anew
	Prompt      func()
	Accepted    func(line string) // a line was typed, before it runs
	Started     func()            // a command runs
	Ended       func(status int)  // the command has ended
	Nothing     func()            // a prompt comes and nothing ran before it
	Pasting     func()            // the line editor takes pasted text in brackets from now on
	Asked       func()            // somebody says that the shell's hook waits to be asked
	HookWaits   func()            // the hook has told all and waits for an answer
	Answered    func(text string) // the hook that waits answers what it was asked
	StrayPrompt func()            // a prompt is said to come though a command runs

	// Any program that runs in the shell can find out the nonce and print marks. What counts
	// is what has a token or a key that no other program was given.
	Told     func(token string) bool  // the hook that waits now says this
	Typed    func(key string) bool    // the line editor does
	Unproven func(token, line string) // neither does; the line is what is said to be typed

	State  State
	Cwd    string // the shell's folder
	Proc   string // the link to it that the system keeps (proc_pid_cwd(5)), "" for none
	Line   string // was typed, "" if the shell does not tell before the end of the command
	Paste  bool   // the line editor takes pasted text in brackets
	Pastes bool   // it did so at an earlier prompt
	Alt    bool   // the alternate screen is shown: a program draws there

	console bool   // the terminal is Linux's own, which knows no OSC (console_codes(4))
	native  bool   // the shell tells the terminal by itself
	typed   bool   // a line was typed since the hook has waited
	typing  bool   // typed lines are told; else only the history tells them
	told    string // the folder that the terminal was told
	host    string
}

// New returns a Tracker whose functions do nothing.
func New() *Tracker {
	host, _ := os.Hostname()
	return &Tracker{
		Print: func([]byte) {}, Ready: func() {}, Prompt: func() {}, Accepted: func(string) {},
		Started: func() {}, Ended: func(int) {}, Nothing: func() {}, Pasting: func() {},
		Asked: func() {}, HookWaits: func() {}, Answered: func(string) {},
		Told: func(string) bool { return true }, Typed: func(string) bool { return true },
		Unproven: func(string, string) {}, StrayPrompt: func() {},
		host:    host,
		console: os.Getenv("TERM") == "linux",
	}
}

// Event takes the next event.
func (t *Tracker) Event(e mark.Event) {
	switch e.Kind {
	case mark.Own:
		t.own(e)
	case mark.Foreign:
		// While a command runs it is the command's: a shell inside, or forged.
		t.native = t.native || t.State != Running && t.State != Unknown
	case mark.Mode:
		switch e.Mode {
		case modePaste:
			if t.Paste = e.On; e.On {
				t.Pastes = true
				t.Pasting()
			}
		case modeAlt, 47, 1047:
			t.Alt = e.On
		}
	}
}

// own takes one of our marks. Its letter says what the shell reports. The marks of the
// prompt (P, B) and of a command's start (C) only say where on the screen these are.
func (t *Tracker) own(e mark.Event) {
	if t.State == Unknown {
		t.State = Idle
		t.Ready()
	}
	switch e.Letter {
	case 'P':
		if t.State != Running {
			t.State = Drawing
			t.plain("A")
		}
	case 'B':
		if t.State == Running {
			t.StrayPrompt()
			return
		}
		t.State = Input
		t.plain("B")
		t.Prompt()
	case 'C':
		// The next line of a paste is told, too, by bash.
		if t.State != Running && (t.typed || !t.typing) {
			t.State = Running
			t.plain("C")
			t.Started()
		}
	case 'Q':
		t.Asked()
	case 'D', 'E', 'L', 'V':
		t.says(e.Letter, e.Body)
	}
}

// says takes a mark that is believed only with what was given to the shell alone.
func (t *Tracker) says(letter byte, body string) {
	token, rest, _ := strings.Cut(body, ";")
	switch {
	case letter == 'E' && t.Typed(token):
		t.typed, t.typing = true, true
		t.Line = mark.Unquote(rest)
		t.Accepted(t.Line)
	case letter == 'L' && t.Told(token):
		if t.Line = mark.Unquote(rest); t.State != Running {
			t.Accepted(t.Line)
		}
	case letter == 'V' && t.Told(token):
		t.Answered(rest)
	case letter == 'D' && t.Told(token):
		t.done(rest)
		t.HookWaits()
	case letter == 'E':
		t.Unproven(token, mark.Unquote(rest))
	default:
		t.Unproven(token, "")
	}
}

// done takes the end of a command, or a prompt before which nothing ran. body is the exit
// status and the folder.
func (t *Tracker) done(body string) {
	code, cwd, _ := strings.Cut(body, ";")
	if cwd = mark.Unquote(cwd); cwd != "" {
		t.Cwd = t.Truly(cwd)
	}
	ran := t.State == Running
	t.State, t.typed = Idle, false
	if ran {
		t.plain("D;" + code)
		status, _ := strconv.Atoi(code)
		t.Ended(status)
	} else {
		t.Nothing()
	}
	t.Line = ""
	if t.Cwd != t.told && !t.console {
		t.told = t.Cwd
		t.Print([]byte("\x1b]7;" + (&url.URL{Scheme: "file", Host: t.host, Path: t.Cwd}).String() +
			"\a"))
	}
}

// Lost is called when the shell is at its prompt although the end of its command was not
// told. It reports whether one ran.
func (t *Tracker) Lost() bool {
	ran := t.State == Running
	t.State, t.typed, t.Line = Input, false, ""
	if ran {
		t.plain("D")
	}
	return ran
}

// Truly returns cwd if the shell is in that folder, and otherwise the folder that it is
// in. A program that the shell runs can read the nonce in the shell's variables, and
// could forge a mark with a folder in which the name of a secret file means another file.
func (t *Tracker) Truly(cwd string) string {
	real, err := os.Readlink(t.Proc)
	if err != nil || real == cwd {
		return cwd
	}
	there, err := os.Stat(real)
	if err != nil {
		return cwd
	}
	if said, err := os.Stat(cwd); err == nil && os.SameFile(there, said) {
		return cwd // by a link
	}
	return real
}

// plain prints an OSC 133 mark for the terminal outside, unless the shell prints its own.
func (t *Tracker) plain(what string) {
	if !t.native && !t.console {
		t.Print([]byte("\x1b]133;" + what + "\a"))
	}
}
