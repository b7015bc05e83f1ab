package agent

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"ua/internal/common/event"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// called sends a call to the gate, which judges it in the folder that the shell is in
// now.
func (t *turn) called(line []byte) {
	t.screen.EndThought()
	t.screen.EndLine()
	t.calls++
	c := &call{id: event.Str(line, "id"), command: event.Str(line, "input.command"),
		live: gjson.GetBytes(line, "input.live").Bool()}
	if ms := gjson.GetBytes(line, "input.timeout_ms").Float(); ms > 0 {
		c.limit = time.Duration(min(ms, 1e9)) * time.Millisecond
	}
	// The limit holds for the rest of the answer, and each of its calls gets the same
	// reply.
	if most := t.ring.Settings.MaxCommands; t.commands >= most && t.dropped == "" {
		t.dropped = fmt.Sprintf("not run: this turn is limited to %s (--max-commands)",
			style.Plural(int64(most), "command"))
	}
	if t.dropped != "" {
		t.refuse(c.id, "denied", t.dropped)
		return
	}
	t.call, t.phase = c, judging
	// Relative paths mean another file in another folder, so keys compares this one
	// later.
	c.cwd = t.tracker.Truly(t.tracker.Cwd)
	line, err := sjson.SetBytes(line, "cwd", c.cwd)
	if err != nil {
		t.fail(err.Error())
		return
	}
	t.ring.Judge(line)
}

// reaches returns the hosts that a verdict lets a call reach: those that the person has granted,
// and with the profile network those that ua reaches with it.
func reaches(line []byte) (hosts []string) {
	if event.Str(line, "profile") == string(verdict.ProfileNetwork) {
		hosts = []string{"packages", "git"}
	}
	if g, err := verdict.ParseGrant([]byte(gjson.GetBytes(line, "grant").Raw)); err == nil {
		hosts = append(hosts, g.Host...)
	}
	return hosts
}

// denied shows the person that a call may not run, and answers the call with the reason.
func (t *turn) denied(c *call, line []byte, asked *question) {
	s := t.screen
	reason := event.Str(line, "reason")
	// A question that was answered has shown the command and the person's no already.
	switch {
	case asked == nil:
		t.command(c.command, event.Str(line, "risk"))
		s.Say("%s %s", s.Paint.Red("[DENIED]"), printable(reason))
	case !asked.answered:
		s.Say("")
		s.Say("%s %s", s.Paint.Red("[DENIED]"), printable(reason))
	}
	t.call, t.phase = nil, thinking
	t.refuse(c.id, "denied", reason)
	// [q] ends the whole turn: the other calls of the answer are refused too.
	if asked != nil && asked.quit {
		t.over, t.dropped = true, "the person wanted no further command"
		t.drop(t.dropped)
		if !t.done {
			t.ring.Interrupt()
		}
		t.finish()
	}
}

// command shows a command as it will be typed, with its risk. What a person would not see is
// shown as codes (style.Visible), and each line has a mark that no other line has.
func (t *turn) command(text, risk string) {
	s := t.screen
	text = style.Visible(text)
	runes := []rune(text)
	if most := t.most(runes); most < len(runes) && (t.ask == nil || !t.ask.whole) {
		text = string(runes[:most]) +
			s.Paint.Dim(fmt.Sprintf(style.Mark(" … %d more characters: [v] shows all"),
				len(runes)-most))
	}
	lines := strings.Split(text, "\n")
	if risk != "" {
		lines[len(lines)-1] += " " + s.Paint.Risk(risk)
	}
	columns, _ := t.screen.Size()
	mark := s.Paint.Cyan(style.Mark("❯"))
	for _, line := range lines {
		for _, part := range style.Lines(line, max(columns, 20)-3) { // of the mark
			s.Say("%s %s", mark, part)
			mark = style.Mark("│")
		}
	}
}

// longest is how many characters of a command a question shows. [v] shows the rest.
const longest = 2000

// most returns how many characters of a command leave room for the rest of the question.
func (t *turn) most(runes []rune) int {
	columns, rows := t.screen.Size()
	room := max(rows-8, 3) * max(columns, 20)
	for i, r := range runes[:min(len(runes), longest)] {
		switch {
		case r == '\n':
			room -= max(columns, 20)
		case r == '\t':
			room -= 8
		default:
			room -= 2 // some are wide
		}
		if room < 0 {
			return i
		}
	}
	return min(len(runes), longest)
}
