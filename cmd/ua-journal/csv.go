package main

import (
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// exportCSV prints a table with one row for each call (RFC 4180).
func exportCSV(env *prog.Env, paths []string) error {
	out := csv.NewWriter(env.Out())
	out.Write([]string{"run", "ts", "call_id", "tool", "command", "risk", "decision", "by",
		"status", "exit_code", "duration_ms", "profile", "output_bytes"})
	err := eachJournal(paths, func(j *os.File, size int64) error {
		calls, err := readCalls(j, size, warn(env, j.Name()))
		for _, c := range calls {
			out.Write(c.row(filepath.Base(filepath.Dir(j.Name()))))
		}
		return err
	})
	out.Flush()
	return errors.Join(err, out.Error())
}

// A call is a tool call and what became of it.
type call struct {
	ts, id, tool, command, risk, decision, by, status, profile string
	exitCode, took                                             string // "" when it did not run
	output                                                     int
}

// readCalls returns the calls of a journal in order.
func readCalls(j io.ReaderAt, size int64, bad func(error)) (calls []*call, err error) {
	byID := map[string]*call{}
	err = journal.Each(j, size, bad, func(line []byte, _ int64) error {
		id := event.Str(line, "call_id")
		switch typ := event.Type(line); {
		case typ == "tool_call":
			id = event.Str(line, "id")
			c := &call{ts: event.Str(line, "ts"), id: id, tool: event.Str(line, "name"),
				command: event.Str(line, "input.command")}
			byID[id] = c
			calls = append(calls, c)
		case byID[id] == nil:
		case typ == "verdict":
			byID[id].judged(line)
		case typ == "tool_result":
			byID[id].ended(line)
		}
		return nil
	})
	return calls, err
}

// judged takes in a verdict, which may have changed the command.
func (c *call) judged(verdict []byte) {
	c.risk, c.decision, c.by = event.Str(verdict, "risk"), event.Str(verdict, "decision"),
		event.Str(verdict, "by")
	c.profile = event.Str(verdict, "profile")
	if changed := event.Str(verdict, "command"); changed != "" {
		c.command = changed
	}
}

// ended takes in a result.
func (c *call) ended(result []byte) {
	c.status = event.Str(result, "status")
	if v := gjson.GetBytes(result, "exit_code"); v.Exists() {
		c.exitCode = strconv.FormatInt(v.Int(), 10)
	}
	if v := gjson.GetBytes(result, "duration_ms"); v.Exists() {
		c.took = strconv.FormatInt(v.Int(), 10)
	}
	if p := event.Str(result, "profile"); p != "" {
		c.profile = p
	}
	c.output = len(event.Str(result, "output"))
}

// row returns the call as a row of the CSV.
func (c *call) row(run string) []string {
	cells := []string{run, c.ts, c.id, c.tool, c.command, c.risk, c.decision, c.by, c.status,
		c.exitCode, c.took, c.profile, strconv.Itoa(c.output)}
	for i, cell := range cells {
		// A spreadsheet takes what begins so for a formula, which can start programs and send
		// other cells away. Behind an apostrophe it takes it for text.
		if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
			cells[i] = "'" + cell
		}
	}
	return cells
}
