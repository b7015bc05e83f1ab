// Package journal reads a run's journal back as the conversation that a model
// is asked with. It is the one place that decides what a conversation keeps, so
// that `ua` and `ua-journal read | ua-think` send the same bytes.
package journal

import (
	"bytes"
	"errors"
	"io"

	"ua/internal/common/event"
)

// BytesPerToken is how many bytes of a journal count as one token of a budget.
const BytesPerToken = 4

// Keeps says whether events of the type belong to the conversation.
func Keeps(typ string) bool {
	switch typ {
	case "run", "system", "instruction", "shell_command", "message", "tool_call",
		"tool_result", "response", "checkpoint", "error":
		return true
	}
	return false
}

// Cut is the offset near which a conversation of size bytes begins under a
// budget in tokens: 0 while it fits. Past that it moves in steps of half the
// budget, so that what is sent only grows between two steps and the provider's
// cache of the prefix holds.
func Cut(size int64, budget int) int64 {
	limit := int64(budget) * BytesPerToken
	if budget <= 0 || size <= limit {
		return 0
	}
	step := max(limit/2, 1)
	return (size - limit + step - 1) / step * step
}

// Conversation returns the lines of a journal's first size bytes that a model is
// asked with, within a budget in tokens (0: all). When the whole does not fit it
// keeps the head (run, system, the first instruction), then a checkpoint that
// says how many bytes were cut, then what follows the first whole turn after
// Cut: a call is never parted from its result. Only head and tail are read. A
// malformed line is passed over and told to bad.
func Conversation(j io.ReaderAt, size int64, budget int, bad func(error)) ([][]byte, error) {
	cut := Cut(size, budget)
	if cut == 0 {
		return collect(j, 0, size, bad)
	}
	at, err := boundary(j, cut, size)
	if err != nil || at == 0 {
		return collect(j, 0, size, bad)
	}
	head, err := head(j, at)
	if err != nil {
		return nil, err
	}
	note := event.AppendString([]byte(`{"type":"checkpoint","text":`), "[The turns up to here are left out to save room.]")
	tail, err := collect(j, at, size, bad)
	return append(append(head, append(note, '}')), tail...), err
}

// collect returns the kept lines between two offsets.
func collect(j io.ReaderAt, from, to int64, bad func(error)) (lines [][]byte, err error) {
	r := event.NewReader(io.NewSectionReader(j, from, to-from))
	for {
		line, err := r.Next()
		var m *event.Malformed
		switch {
		case err == io.EOF:
			return lines, nil
		case errors.As(err, &m):
			m.Offset += from
			bad(m)
		case err != nil:
			return nil, err
		case Keeps(event.Type(line)):
			lines = append(lines, bytes.Clone(Bare(line)))
		}
	}
}

// head returns run, system and the first instruction, of what stands before to.
func head(j io.ReaderAt, to int64) (lines [][]byte, err error) {
	r := event.NewReader(io.NewSectionReader(j, 0, to))
	for {
		line, err := r.Next()
		var m *event.Malformed
		switch typ := event.Type(line); {
		case err == io.EOF:
			return lines, nil
		case errors.As(err, &m):
		case err != nil:
			return nil, err
		case typ == "turn" || typ == "response":
			return lines, nil
		case typ == "run" || typ == "system" || typ == "instruction":
			lines = append(lines, bytes.Clone(Bare(line)))
			if typ == "instruction" {
				return lines, nil
			}
		}
	}
}

// boundary is the offset of the first turn that starts at or after from, or of
// the last one before it when none does.
func boundary(j io.ReaderAt, from, size int64) (int64, error) {
	step := max(size-from, 64<<10)
	for lo, first := from, true; ; lo, first = max(lo-step, 0), false {
		at, err := turnStart(j, lo, size, first)
		if err != nil || at >= 0 || lo == 0 {
			return max(at, 0), err
		}
	}
}

// turnStart looks between two offsets for a line that starts a turn: what
// follows a response, or an instruction. It returns the first or the last one's
// offset, or -1.
func turnStart(j io.ReaderAt, lo, hi int64, first bool) (int64, error) {
	base := max(lo-1, 0)
	r := event.NewReader(io.NewSectionReader(j, base, hi-base))
	found, after := int64(-1), false
	if lo > 0 {
		if _, err := r.Line(); err != nil {
			return -1, eof(err)
		}
	}
	for {
		line, err := r.Line()
		if err == io.EOF {
			return found, nil
		}
		var m *event.Malformed
		if err != nil && !errors.As(err, &m) {
			return -1, err
		}
		typ := event.Type(line)
		if after || typ == "instruction" {
			if found = base + r.Offset(); first {
				return found, nil
			}
		}
		after = typ == "response"
	}
}

func eof(err error) error {
	var m *event.Malformed
	if err == io.EOF || errors.As(err, &m) {
		return nil
	}
	return err
}
