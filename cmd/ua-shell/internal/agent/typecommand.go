package agent

import (
	"strings"
	"time"
)

// atPrompt types the command once the line editor reads. An editor with bracketed paste
// may ask for it only after the prompt, so the command waits a moment for that.
func (t *turn) atPrompt() {
	if t.phase != typing || t.waiting {
		return
	}
	if t.call.key != "" || t.tracker.Paste || !t.tracker.Pastes {
		t.keys()
		return
	}
	t.whileAt(t.call, typing, 200*time.Millisecond, t.keys)
}

// pasting types the command if it still waits for the line editor.
func (t *turn) pasting() {
	if t.phase == typing && !t.waiting {
		t.keys()
	}
}

// slow is how long a shell may take to run a line that was typed.
const slow = 10 * time.Second

// keys types the command. Where the shell supports it, the command goes in as a paste in
// brackets or by a key of our own: the line editor takes it as it is, without completion
// or abbreviations.
func (t *turn) keys() {
	c := t.call
	t.phase = typed
	switch {
	// The verdict was for another folder.
	case t.tracker.Truly(c.cwd) != c.cwd:
		c.failure = "the shell has changed folders since the command was judged"
		t.relay.Type([]byte("\r"))
		return
	case c.key != "":
		t.relay.Type([]byte(c.key))
	case t.tracker.Paste:
		t.relay.Type([]byte("\x1b[200~" + c.command + "\x1b[201~\r"))
	// Typed, a newline would run half of the command and a tab would complete it.
	case strings.ContainsAny(c.command, "\n\t"):
		c.failure = "this shell can't take a command with a newline or a tab in it"
		t.relay.Type([]byte("\r"))
		return
	default:
		t.relay.Type([]byte(c.command + "\r"))
	}
	// A command that is not whole leaves the shell at its second prompt.
	t.whileAt(c, typed, slow, func() {
		c.failure = "the shell did not take it as a whole command"
		t.relay.Type([]byte{3})
	})
}

// compare interrupts a line that is not the approved one. What has begun to run cannot be
// taken back, so the turn ends after it.
func (t *turn) compare(line string) {
	if same(line, t.call.command) {
		return
	}
	t.call.other = line
	t.relay.Type([]byte{3})
}

// same reports whether two texts are the same but for blanks around them.
func same(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }
