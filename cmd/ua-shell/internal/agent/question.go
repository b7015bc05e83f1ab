package agent

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"ua/internal/common/editor"
	"ua/internal/common/event"
	"ua/internal/common/runfolder"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// takeQuestion takes a question of the gate's. It is shown only when the model has said all, so
// that a person knows the whole plan before the first yes.
func (t *turn) takeQuestion(line []byte) {
	if t.call == nil || event.Str(line, "call_id") != t.call.id {
		return
	}
	t.phase, t.ask = asking, &question{call: t.call.id, event: line, here: t.call.here}
	_ = os.Mkdir(runfolder.AnswersFolder(t.ring.Run), 0o700) // for answers by ua answer
	t.ring.Notifier.Tell(t.ring.Run, line)
	if q := t.ask; q.here {
		t.whileOpen(q, t.ring.Patience, func() { t.answeredHere("deny", "nobody has answered") })
	}
	t.show()
}

// show shows the question, with the plan before it, once the model's answer is whole.
func (t *turn) show() {
	q := t.ask
	if q.shown || !t.done && !t.planned {
		return
	}
	q.shown = true
	// Nothing that the shell's jobs print may come between the question and its answer.
	t.relay.Hold(true)
	s := t.screen
	s.EndThought()
	s.Fresh()
	if t.plan() {
		s.Say("%s", s.Paint.Bold("The first one:"))
	}
	t.about()
	t.offer(q)
}

// about shows what the question is about: the command and why it is asked.
func (t *turn) about() {
	q, s := t.ask, t.screen
	t.command(event.Str(q.event, "command"), event.Str(q.event, "risk"))
	s.Say("%s %s", s.Paint.Yellow(style.Mark("⚠")), printable(event.Str(q.event, "reason")))
	if opens := event.Str(q.event, "opens"); opens != "" {
		s.Say("  %s", s.Paint.Dim(printable(opens)))
	}
	for _, name := range []string{"warning", "safer"} {
		if text := event.Str(q.event, name); text != "" {
			s.Say("%s", s.Paint.Red(style.Mark("⚠ ")+map[string]string{"safer": "safer: "}[name]+
				printable(text)))
		}
	}
}

// unseenYet is how long a question stands, and how long nothing is typed, before a key can
// answer it. Nobody reads one faster.
const unseenYet = 300 * time.Millisecond

// offer shows the choices once the person has had a moment to see the question and does not
// type: a key that was meant for the prompt is no answer.
func (t *turn) offer(q *question) {
	t.whileOpen(q, unseenYet, func() {
		if time.Since(t.typedAt) < unseenYet {
			t.offer(q)
			return
		}
		q.open = true
		t.screen.Ask(t.choices())
		t.awaitAfar(q)
	})
}

// whileOpen does f once d has passed, if the question has no answer yet.
func (t *turn) whileOpen(q *question, d time.Duration, f func()) {
	t.relay.After(d, func() {
		if t.turn == t && t.ask == q && !q.answered {
			f()
		}
	})
}

// awaitAfar looks now and then for an answer by ua answer. The first answer holds.
func (t *turn) awaitAfar(q *question) {
	t.whileOpen(q, unseenYet, func() {
		line := runfolder.Answered(t.ring.Run, q.event)
		if line == nil {
			t.awaitAfar(q)
			return
		}
		q.answered = true
		decision := event.Str(line, "decision")
		t.screen.Echo("\n")
		t.screen.Say("  answered from elsewhere: %s", printable(decision))
		t.give(line, decision, event.Str(line, "reason"))
	})
}

// give gives the answer to who has asked, and to the journal.
func (t *turn) give(line []byte, decision, reason string) {
	here := t.ask.here // what is put may end the turn
	t.ring.Put(line)
	if here {
		t.answeredHere(decision, reason)
		return
	}
	t.ring.Answer(line)
}

// A choice is an answer to a question: what is typed for it, what the line of choices and the
// help say of it, and what a letter alone does.
type choice struct {
	key, short, help string
	do               func()
}

// answers returns the choices that the person has: those of ua --ask. One that the gate is done
// with can't be edited.
func (t *turn) answers() (list []choice) {
	add := func(there bool, key, short, help string, do func()) {
		if there {
			list = append(list, choice{key, short, help, do})
		}
	}
	reply := func(decision string) func() { return func() { t.reply(decision, "") } }
	shown := func(show func()) func() {
		return func() {
			t.screen.Echo("\n")
			show()
			t.again()
		}
	}
	whole, kinds, hosts := t.needsYes(), printable(event.Str(t.ask.event, "session")), t.hosts()
	add(!whole, "y", "[y] run", "run it", reply("allow"))
	add(whole, "yes", `type "yes" to run,`,
		"run it: it leaves the sandbox, so the whole word is needed", nil)
	add(true, "n", "[n] skip", "do not run it", reply("deny"))
	add(!whole && kinds != "", "a", "[a] allow "+kinds+" for the session",
		"run it, and don't ask about these again: "+kinds, reply("session"))
	add(hosts != "", "h", "[h] allow "+hosts+" for the session",
		"run it, and let all commands reach "+hosts+" from now on", reply("host"))
	add(!t.ask.here, "e", "[e] edit", "edit the command; it is judged again", t.edit)
	add(true, "v", "[v] view", "view the whole command", shown(func() {
		t.ask.whole = true
		t.about()
	}))
	add(true, "#WORDS", "", "do not run it, and tell the model the words", nil)
	add(true, "q", "[q] quit", "do not run it, and end the turn", reply("quit"))
	add(true, "?", "[?] help", "", shown(t.help))
	return list
}

// choices returns the line with the choices. On a narrow screen they take two lines, or are only
// named.
func (t *turn) choices() string {
	first, rest, keys := " ", "", ""
	for _, c := range t.answers() {
		switch {
		case c.short == "":
			continue
		case rest != "" || c.key == "e" || c.key == "v":
			rest += " " + c.short
		default:
			first += " " + c.short
		}
		keys += "/" + c.key
	}
	rest += " > "
	switch columns, _ := t.screen.Size(); {
	case len(first)+len(rest) <= columns:
		return first + rest
	case max(len(first), len(rest)+1) <= columns:
		return first + "\n " + rest
	}
	return "  [" + keys[1:] + "] > "
}

// needsYes reports whether the whole word yes is needed.
func (t *turn) needsYes() bool { return event.Str(t.ask.event, "needs") == "yes" }

// hosts returns the hosts that the question is about, "" for none.
func (t *turn) hosts() string {
	if t.needsYes() {
		return ""
	}
	g, _ := verdict.ParseGrant([]byte(gjson.GetBytes(t.ask.event, "grant").Raw))
	return printable(strings.Join(g.Host, ", "))
}

// help says what each answer does.
func (t *turn) help() {
	for _, c := range t.answers() {
		if c.help != "" {
			t.screen.Say("  %-8s %s", c.key, c.help)
		}
	}
}

// again offers the choices once more, after what may have been said above them.
func (t *turn) again() {
	t.ask.line = nil
	t.screen.Ask(t.choices())
}

// key takes what is typed at the question. A letter alone answers at once. A line that
// begins with #, or the word yes, needs Enter.
func (t *turn) key(b []byte) {
	q := t.ask
	for len(b) > 0 && t.ask == q && !q.answered {
		r, n := utf8.DecodeRune(b)
		if b[0] == 0x1b { // a key that is no character
			return
		}
		b = b[n:]
		switch {
		case r == 3 || r == 4:
			t.reply("quit", "")
		case r == '\r' || r == '\n':
			t.entered(strings.TrimSpace(string(q.line)))
		case r == 0x7f || r == 8:
			if len(q.line) > 0 {
				_, n := utf8.DecodeLastRune(q.line)
				q.line = q.line[:len(q.line)-n]
				t.screen.Retype(string(q.line))
			}
		case r == 0x15: // Ctrl-U
			q.line = nil
			t.screen.Retype("")
		case r < 0x20 || r == utf8.RuneError:
		default:
			q.line = utf8.AppendRune(q.line, r)
			t.screen.Echo(string(r))
			// More behind it is a paste, or what was typed for the prompt.
			if len(q.line) == 1 && len(bytes.TrimRight(b, "\r\n")) == 0 {
				t.letter(r)
			}
		}
	}
}

// letter answers the question by one letter. For a command that needs the word yes, y and
// a do nothing.
func (t *turn) letter(r rune) {
	for _, c := range t.answers() {
		if c.do != nil && strings.EqualFold(c.key, string(r)) {
			c.do()
			return
		}
	}
}

// entered answers with a whole line: yes, or # and what the model is told instead.
func (t *turn) entered(line string) {
	switch {
	case strings.HasPrefix(line, "#"):
		t.reply("deny", instruction(line))
	case strings.EqualFold(line, "yes"):
		t.reply("yes", "")
	case strings.EqualFold(line, "y"):
		t.screen.Say("\n  To run it, type the whole word \"yes\".")
		t.again()
	default:
		t.screen.Say("\n  %s is not an answer; [?] lists them.", printable(cmp.Or(line, "Enter")))
		t.again()
	}
}

// reply gives the gate the answer, and the journal too.
func (t *turn) reply(decision, reason string) {
	q := t.ask
	q.answered = true
	t.screen.Echo("\n")
	b := event.New("answer").Str("call_id", q.call)
	if decision == "quit" { // the gate would end with it
		q.quit = true
		decision, reason = "deny", "the person wants no further commands"
	}
	if reason != "" {
		t.dropped = "not run: the person said something instead"
	}
	t.give(b.Str("decision", decision).OptStr("reason", reason).Line(), decision, reason)
}

// plannedRisks is how many commands of a plan are shown with their risk. The gate is
// started for each of them before the question appears.
const plannedRisks = 20

// plan shows the calls that follow, each with the risk that the gate sees in it, before
// the first question of an answer. It reports whether there was a plan to show.
func (t *turn) plan() (shown bool) {
	var rest []string
	planned := t.planned
	for _, line := range t.lines {
		if event.Type(line) == "tool_call" {
			rest = append(rest, event.Str(line, "input.command"))
		}
	}
	if t.planned = true; len(rest) == 0 || planned {
		return false
	}
	t.screen.Say("%s", t.screen.Paint.Bold(fmt.Sprintf("The plan has %d commands:", len(rest)+1)))
	t.command(event.Str(t.ask.event, "command"), event.Str(t.ask.event, "risk"))
	for i, command := range rest {
		risk := ""
		if i < plannedRisks {
			if out, _ := t.ring.Level(command, t.tracker.Cwd).Output(); len(out) > 0 {
				risk = gjson.GetBytes(out, "level").Str
			}
		}
		t.command(command, risk)
	}
	return true
}

// compose has the person write a text in an editor, beginning with the given one. It returns ""
// for none, and where the editor fails.
func (a *Agent) compose(text string) (changed string) {
	a.screen.EndLine()
	err := a.LendTerminal(func() (err error) {
		changed, err = editor.Edit(os.Stdin, os.Stdout, text)
		return err
	})
	if err != nil {
		a.screen.Say("%v", err)
	}
	return strings.TrimSpace(changed)
}

// edit has the person change the command in an editor, beginning with the judge's safer
// proposal if there is one. The gate judges the result.
func (t *turn) edit() {
	q := t.ask
	command := event.Str(q.event, "safer")
	if command == "" {
		command = event.Str(q.event, "command")
	}
	changed := t.compose(command)
	if changed == "" || changed == command && command == event.Str(q.event, "command") {
		q.line = nil
		t.screen.Say("%s", t.screen.Paint.Dim("  not changed"))
		t.screen.Ask(t.choices())
		return
	}
	q.answered = true
	t.give(event.New("answer").Str("call_id", q.call).Str("decision", "edit").Str("command",
		changed).Line(), "edit", "")
}
