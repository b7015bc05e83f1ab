package main

import (
	"database/sql"
	"fmt"
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/style"
)

// recallMost is how many places recall prints.
const recallMost = 20

// said keeps what was asked, run and answered, for recall. What commands printed is left out:
// it is most of a journal, and little of it is ever looked for.
func (t *taker) said(ev gjson.Result) error {
	kind, text := "", ""
	switch ev.Get("type").Str {
	case "turn":
		t.turns++
	case "instruction", "message":
		kind, text = "asked", ev.Get("text").Str
	case "tool_call":
		kind, text = "ran", ev.Get("input.command").Str
	case "response":
		kind = "answered"
		text, _ = event.ResponseText([]byte(ev.Raw))
	}
	if text == "" {
		return nil
	}
	_, err := t.tx.Exec("INSERT INTO words VALUES (?,?,?,?,?)", text, t.run.ID, max(t.turns, 1),
		kind, value(ev.Get("ts")))
	return err
}

// found are the places where words stand, newest first. Whose run a subagent's is, and so of
// which project, only its place below a run at the top says: commands write its journal.
const found = `SELECT words.run, turn, kind, words.ts,
		snippet(words, 0, '', '', ' … ', 32) AS text
	FROM words JOIN runs ON runs.id = words.run
	WHERE words MATCH ? AND (? = '' OR EXISTS (SELECT 1 FROM runs AS top
		WHERE top.parent = '' AND top.project = ?
		AND substr(runs.dir || '/', 1, length(top.dir) + 1) = top.dir || '/'))
	ORDER BY words.ts DESC, words.rowid DESC LIMIT ?`

// recall prints where all of the words stand, each or the beginning of it, in the runs of a
// project, or of all for "".
func (x *index) recall(w io.Writer, words []string, project string, most int) error {
	var match []string
	for _, word := range strings.Fields(strings.Join(words, " ")) {
		match = append(match, `"`+strings.ReplaceAll(word, `"`, `""`)+`"*`)
	}
	rows, err := x.db.Query(found, strings.Join(match, " "), project, project, most)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id, kind, text string
		var turn int
		var ts sql.NullString
		if err := rows.Scan(&id, &turn, &kind, &ts, &text); err != nil {
			return err
		}
		day := ts.String[:min(len(ts.String), len("2006-01-02"))]
		text = style.Printable(strings.Join(strings.Fields(text), " "))
		if _, err := fmt.Fprintf(w, "%s  %d  %s  %s: %s\n", id, turn, day, kind, text); err != nil {
			return err
		}
	}
	return rows.Err()
}
