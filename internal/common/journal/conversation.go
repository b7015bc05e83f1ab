// Package journal reads a run's journal back as the conversation for a model. Only this
// package decides what a conversation keeps, so that `ua` and `ua-journal read |
// ua-think` send the same bytes.
package journal

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/safefile"
)

// Keeps reports whether events of the type belong to the conversation.
func Keeps(typ string) bool {
	switch typ {
	case "run", "system", "instruction", "shell_command", "message", "tool_call",
		"tool_result", "response", "checkpoint", "check", "error":
		return true
	}
	return false
}

// Conversation returns the lines of a journal's first size bytes that a model gets,
// within a budget in tokens (0 for all). If they do not fit, it keeps the head (run,
// system, the first instruction), a checkpoint for what is cut, the newest instruction,
// and what follows the first whole turn after Cut. A call is never separated from its
// result.
//
// The newest checkpoint event stands for what came before its "upto" (an offset; without
// one, its own), whether that is cut or not. How much is read does not grow with the
// journal. If j is a file, media come back from the folder beside it. bad is called for a
// malformed line, which is skipped, and for media that are not what was kept.
func Conversation(j io.ReaderAt, size int64, budget int, bad func(error)) ([][]byte, error) {
	return checked(j, size, budget, bad, nil)
}

// checked is Conversation, and calls changed once if the chain is broken among the lines that
// were read from the first one or the cut on. To check the whole journal would take longer the
// longer it is.
func checked(j io.ReaderAt, size int64, budget int, bad func(error),
	changed func()) ([][]byte, error) {
	c := &reader{j: j, size: size, bad: bad, changed: changed}
	if f, ok := j.(interface{ Name() string }); ok {
		c.dir = filepath.Dir(f.Name())
	}
	at := int64(0)
	if cut := Cut(size, budget); cut > 0 {
		var err error
		if at, err = boundary(j, cut, int64(budget)*bytesPerToken/2, size); err != nil {
			return nil, err
		}
	}
	from, past, err := c.past(at)
	if err != nil {
		return nil, err
	}
	if from == 0 {
		return c.collect(0)
	}
	head, err := c.head(from)
	if err != nil {
		return nil, err
	}
	lines := append(head.lines, past.checkpoint)
	// The head has the first instruction, which may be the newest one too.
	if past.instruction != nil && past.at != head.at {
		lines = append(lines, past.instruction)
	}
	tail, err := c.collect(from)
	return append(lines, tail...), err
}

// Recall calls put with each line of the conversation in the journal at path, unless it begins at
// had, where put has it from. It returns where it begins: -1 is a conversation that nobody has.
// bad and changed are those of Conversation and of checked.
func Recall(path string, budget int, had int64, put func([]byte), bad func(error),
	changed func()) (cut int64, err error) {
	f, err := safefile.Open(path)
	if errors.Is(err, fs.ErrNotExist) && had >= 0 {
		return had, nil // it was removed, and what put has goes on
	}
	if err != nil {
		return had, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return had, err
	}
	if cut = Cut(info.Size(), budget); cut == had {
		return had, nil
	}
	lines, err := checked(f, info.Size(), budget, bad, changed)
	for _, line := range lines {
		put(line)
	}
	return cut, err
}

// A reader reads one journal back.
type reader struct {
	j    io.ReaderAt
	size int64
	dir  string // the journal's folder, "" when it is no file
	bad  func(error)

	changed func() // nil if the chain is not to be checked, or is known to be broken
}

// trail returns the trail of lines that are read from an offset on.
func trail(from int64) (t Trail) {
	if from == 0 {
		t = Beginning()
	}
	return t
}

// check has t take the next line.
func (c *reader) check(t *Trail, line []byte, torn bool) {
	if c.changed != nil && !t.Holds(line, torn) {
		c.changed()
		c.changed = nil
	}
}

// A past is what remains of the lines that are cut.
type past struct {
	checkpoint  []byte // stands for it: one event, for a second one would stand for the first
	instruction []byte // the newest one
	at          int64  // its offset
}

// past finds where the conversation begins, at or where a newer checkpoint says, and what
// stands for the lines before.
func (c *reader) past(at int64) (from int64, p past, err error) {
	upto, low := int64(0), max(at-window, 0)
	err = Backward(c.j, c.size, func(line []byte, offset int64) bool {
		if p.checkpoint == nil && isType(line, "checkpoint") {
			p.checkpoint, upto = bytes.Clone(Bare(line)), c.upto(line, offset)
			at = max(at, upto)
		}
		if offset < at && p.instruction == nil && isType(line, "instruction") {
			p.instruction, p.at = c.whole(line), offset
		}
		return offset > low && (p.checkpoint == nil || p.instruction == nil)
	})
	if upto < at {
		text := leftOut
		if upto > 0 {
			text = event.Str(p.checkpoint, "text") + "\n" + text
		}
		p.checkpoint = append(event.AppendString([]byte(`{"type":"checkpoint","text":`), text), '}')
	}
	return at, p, err
}

// leftOut tells the model that turns are missing and no checkpoint stands for them.
const leftOut = "[The turns up to here are left out to save room.]"

// upto returns the offset up to which the checkpoint at offset stands for the lines.
func (c *reader) upto(line []byte, offset int64) int64 {
	v := gjson.GetBytes(line, "upto")
	if !v.Exists() {
		return offset
	}
	upto, before := min(v.Int(), offset), make([]byte, 1)
	if upto <= 0 {
		return 0
	}
	if _, err := c.j.ReadAt(before, upto-1); err != nil || before[0] != '\n' {
		return 0
	}
	return upto
}

// isType reports whether line is an event of the type, mostly without parsing it.
func isType(line []byte, typ string) bool {
	return bytes.Contains(line, []byte(typ)) && event.Type(line) == typ && event.Valid(line)
}

// whole returns a copy of line as it was before it was stored.
func (c *reader) whole(line []byte) []byte {
	line = bytes.Clone(Bare(line))
	if c.dir == "" {
		return line
	}
	line, err := Embed(line, c.dir)
	if err != nil {
		c.bad(err)
	}
	return line
}

// collect returns the kept lines from an offset on, 0 if nothing is cut. Checkpoints are
// left out: they come before these lines.
func (c *reader) collect(from int64) (lines [][]byte, err error) {
	r, t := event.NewReader(io.NewSectionReader(c.j, from, c.size-from)), trail(from)
	for {
		line, err := r.Next()
		var m *event.Malformed
		torn := errors.As(err, &m)
		if err == nil || torn {
			c.check(&t, line, torn)
		}
		switch typ := event.Type(line); {
		case err == io.EOF:
			return lines, nil
		case torn:
			m.Offset += from
			c.bad(m)
		case err != nil:
			return nil, err
		case Keeps(typ) && typ != "checkpoint":
			lines = append(lines, c.whole(line))
		}
	}
}

// A head is what every conversation begins with.
type head struct {
	lines [][]byte
	at    int64 // the instruction's offset
}

// head returns run, system and the first instruction that are before the offset to.
func (c *reader) head(to int64) (h head, err error) {
	h.at = -1
	r, t := event.NewReader(io.NewSectionReader(c.j, 0, to)), trail(0)
	for {
		line, err := r.Next()
		var m *event.Malformed
		torn := errors.As(err, &m)
		if err == nil || torn {
			c.check(&t, line, torn)
		}
		switch typ := event.Type(line); {
		case err == io.EOF:
			return h, nil
		case torn:
			c.bad(m)
		case err != nil:
			return h, err
		case typ == "turn" || typ == "response":
			return h, nil
		case typ == "run" || typ == "system" || typ == "instruction":
			h.lines = append(h.lines, c.whole(line))
			if typ == "instruction" {
				h.at = r.Offset()
				return h, nil
			}
		}
	}
}

// bytesPerToken is how many bytes of a journal count as one token of a budget.
const bytesPerToken = 4

// window is how many bytes before a cut are searched for the newest checkpoint and
// instruction. So reading costs no more for a journal of any size.
const window = 4 << 20

// maxMedia is the largest media file that Embed brings back, in bytes.
const maxMedia = 64 << 20

// DefaultBudget is the default for how many tokens of a conversation are kept.
const DefaultBudget = 60000
