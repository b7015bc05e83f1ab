package main

import (
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
)

// schemaVersion is raised with every change of schema. A database of another version is
// made again.
const schemaVersion = 7

// schema makes the tables. Times are RFC 3339 text, so they compare as text.
const schema = `
CREATE TABLE runs (
	id TEXT PRIMARY KEY, parent TEXT, dir TEXT, ts TEXT, task TEXT, agent TEXT, model TEXT,
	cwd TEXT, exit_code INTEGER, tokens_in INTEGER, tokens_out INTEGER, cache_read INTEGER,
	cost_usd REAL, commands INTEGER, denied INTEGER, duration_ms INTEGER, message TEXT,
	size INTEGER, changed INTEGER, status TEXT, provider TEXT, mode TEXT, isolation TEXT,
	tools TEXT, not_tools TEXT, limits TEXT, created TEXT, started TEXT, completed TEXT,
	project TEXT, host TEXT);
CREATE VIRTUAL TABLE words USING fts5 (
	text, run UNINDEXED, turn UNINDEXED, kind UNINDEXED, ts UNINDEXED);
CREATE TABLE responses (
	run TEXT, n INTEGER, ts TEXT, model TEXT, stop_reason TEXT, input INTEGER,
	cache_read INTEGER, cache_write INTEGER, output INTEGER, reasoning INTEGER,
	cost_usd REAL, latency_ms INTEGER, replay INTEGER);
CREATE TABLE calls (
	run TEXT, n INTEGER, ts TEXT, call_id TEXT, tool TEXT, command TEXT, risk TEXT,
	decision TEXT, by TEXT, rule TEXT, profile TEXT, status TEXT, exit_code INTEGER,
	duration_ms INTEGER, output_bytes INTEGER);
CREATE INDEX responses_ts ON responses (ts);
CREATE INDEX responses_run ON responses (run);
CREATE INDEX calls_run ON calls (run, call_id);
CREATE INDEX calls_ts ON calls (ts);`

// An index is an open database.
type index struct{ db *sql.DB }

// open opens the database at path, and creates its tables if they are missing or of
// another version. Transactions are exclusive from their beginning (_txlock=immediate).
// Of several programs that update the database at once, one waits for the other.
// synchronous(OFF) is safe enough, because a damaged database can be made again.
func open(path string) (*index, error) {
	db, err := sql.Open("sqlite",
		"file:"+path+"?_txlock=immediate&_pragma=busy_timeout(60000)&_pragma=synchronous(OFF)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if err := prepare(db); err != nil {
		db.Close()
		return nil, prog.Errorf(prog.Trouble, "%s: %w", path,
			err).Hintf("remove it; ua-journal-index rebuilds it from the journals")
	}
	return &index{db}, nil
}

// prepare creates the tables unless they are those of this version.
func prepare(db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var version int
	err = tx.QueryRow("PRAGMA user_version").Scan(&version)
	if err != nil || version == schemaVersion {
		return err
	}
	// The journals have everything, so tables of another version are dropped.
	for _, table := range []string{"runs", "responses", "calls", "words"} {
		if _, err := tx.Exec("DROP TABLE IF EXISTS " + table); err != nil {
			return err
		}
	}
	_, err = tx.Exec(schema + "\nPRAGMA user_version = " + strconv.Itoa(schemaVersion))
	if err != nil {
		return err
	}
	return tx.Commit()
}

// update reads the journals of runs, and of those below them, that have changed, and removes
// runs that no longer exist. It is one transaction, so that a query never sees half of an update.
func (x *index) update(list []run.Run) error {
	tx, err := x.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	// What is not seen in this update has been removed.
	if _, err := tx.Exec("CREATE TEMP TABLE IF NOT EXISTS seen (id TEXT PRIMARY KEY)"); err != nil {
		return err
	}
	if err := runs(tx, list, nil); err != nil {
		return err
	}
	if err := remove(tx, "NOT IN (SELECT id FROM seen)"); err != nil {
		return err
	}
	if _, err := tx.Exec("DROP TABLE seen"); err != nil {
		return err
	}
	return tx.Commit()
}

// remove removes the runs whose IDs fit, from all tables.
func remove(tx *sql.Tx, which string, args ...any) error {
	for _, of := range []string{"runs WHERE id ", "responses WHERE run ", "calls WHERE run ",
		"words WHERE run "} {
		if _, err := tx.Exec("DELETE FROM "+of+which, args...); err != nil {
			return err
		}
	}
	return nil
}

// runs reads the runs of one level, and then those below. parents gives the ID of the
// parent of each folder. A command can make a folder with another run's ID: of two runs
// with the same ID the one nearer to the top counts.
func runs(tx *sql.Tx, list []run.Run, parents map[string]string) error {
	var below []run.Run
	from := map[string]string{}
	for _, r := range list {
		if err := journalOf(tx, r, parents[r.Dir]); err != nil && !errors.Is(err, fs.ErrNotExist) &&
			!errors.Is(err, fs.ErrInvalid) { // a command may have made it
			return err
		}
		children, err := r.Children()
		if err != nil {
			return err
		}
		host, _, shipped := strings.Cut(r.ID, "/")
		for _, c := range children {
			from[c.Dir] = r.ID
			if shipped {
				c.ID = host + "/" + c.ID
			}
			below = append(below, c)
		}
	}
	if len(below) == 0 {
		return nil
	}
	return runs(tx, below, from)
}

// journalOf reads one run, unless its journal has the size and the time that the database
// has for it.
func journalOf(tx *sql.Tx, r run.Run, parent string) error {
	f, err := safefile.Open(r.Journal())
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	// The ID was seen already, nearer to the top.
	if first, err := tx.Exec("INSERT OR IGNORE INTO seen VALUES (?)", r.ID); err != nil {
		return err
	} else if n, err := first.RowsAffected(); err != nil || n == 0 {
		return err
	}
	var size, changed int64
	err = tx.QueryRow("SELECT size, changed FROM runs WHERE id = ?", r.ID).Scan(&size, &changed)
	if err == nil && size == info.Size() && changed == info.ModTime().UnixNano() {
		return nil
	}
	if err := remove(tx, "= ?", r.ID); err != nil {
		return err
	}
	t := &taker{tx: tx, run: r}
	var host any
	if name, _, shipped := strings.Cut(r.ID, "/"); shipped {
		host = name
	}
	if _, err := tx.Exec("INSERT INTO runs (id, parent, dir, size, changed, host) "+
		"VALUES (?, ?, ?, ?, ?, ?)", r.ID, parent, r.Dir, info.Size(),
		info.ModTime().UnixNano(), host); err != nil {
		return err
	}
	return t.journal(f, info.Size())
}

// A taker writes the events of one run into the tables.
type taker struct {
	tx               *sql.Tx
	run              run.Run
	tally            journal.Tally
	responses, calls int
	turns            int
}

// journal takes in the events of the first size bytes. Lines that are no events are skipped.
func (t *taker) journal(f io.ReaderAt, size int64) error {
	err := journal.Each(f, size, journal.Ignore, func(line []byte, _ int64) error {
		t.tally.Add(line)
		ev := gjson.ParseBytes(line)
		return errors.Join(t.event(ev), t.said(ev))
	})
	if err != nil {
		return err
	}
	s := t.tally
	_, err = t.tx.Exec("UPDATE runs SET tokens_in=?, tokens_out=?, cache_read=?, cost_usd=?, "+
		"commands=?, denied=? WHERE id=?",
		s.TokensIn, s.TokensOut, s.CacheRead, s.CostUSD, s.Commands, s.Denied, t.run.ID)
	return err
}

// lastCall selects the row of the call that an event is about. A model may give a later
// call the ID of an earlier one.
const lastCall = "rowid = (SELECT max(rowid) FROM calls WHERE run=? AND call_id=?)"

// event writes what the tables keep of one event.
func (t *taker) event(ev gjson.Result) (err error) {
	get := func(paths ...string) (values []any) {
		for _, p := range paths {
			values = append(values, value(ev.Get(p)))
		}
		return values
	}
	exec := func(query string, values ...any) { _, err = t.tx.Exec(query, values...) }
	switch ev.Get("type").Str {
	case "run":
		exec(`UPDATE runs SET ts=?, created=?, task=?, agent=?, model=?, cwd=?, mode=?,
			isolation=?, tools=?, not_tools=?, limits=?, project=coalesce(project, ?),
			status='accepted' WHERE id=?`,
			append(get("ts", "ts", "task", "agent", "model", "cwd", "mode",
				"isolation", "tools", "not_tools", "limits", "project"), t.run.ID)...)
	case "turn":
		exec("UPDATE runs SET started=coalesce(started, ?), status='running' WHERE id=?",
			append(get("ts"), t.run.ID)...)
	case "summary":
		exec("UPDATE runs SET exit_code=?, duration_ms=?, message=?, completed=?, status=? WHERE id=?",
			append(get("exit_code", "duration_ms", "message", "ts"),
				run.EndState(int(ev.Get("exit_code").Int())), t.run.ID)...)
	case "response":
		t.responses++
		provider, _, _ := strings.Cut(ev.Get("model").Str, "/")
		if exec("UPDATE runs SET provider=?, model=coalesce(model, ?) WHERE id=?", provider,
			ev.Get("model").Str, t.run.ID); err != nil {
			return err
		}
		exec("INSERT INTO responses VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
			append([]any{t.run.ID, t.responses},
				get("ts", "model", "stop_reason", "usage.input", "usage.cache_read",
					"usage.cache_write",
					"usage.output", "usage.reasoning", "usage.cost_usd", "latency_ms", "replay")...)...)
	// The judge's answers cost money as well, so they are rows of responses.
	case "judge":
		t.responses++
		exec("INSERT INTO responses VALUES (?,?,?,?,'judge',?,?,?,?,?,?,NULL,?)",
			append([]any{t.run.ID, t.responses},
				get("ts", "model", "usage.input", "usage.cache_read", "usage.cache_write",
					"usage.output", "usage.reasoning", "usage.cost_usd", "replay")...)...)
	case "tool_call":
		t.calls++
		exec("INSERT INTO calls (run, n, ts, call_id, tool, command) VALUES (?,?,?,?,?,?)",
			append([]any{t.run.ID, t.calls}, get("ts", "id", "name", "input.command")...)...)
	case "verdict":
		exec("UPDATE calls SET risk=?, decision=?, by=?, rule=?, profile=?, command=coalesce(?, "+
			"command) WHERE "+lastCall,
			append(get("risk", "decision", "by", "rule", "profile", "command"), t.run.ID,
				ev.Get("call_id").Str)...)
	case "tool_result":
		exec("UPDATE calls SET status=?, exit_code=?, duration_ms=?, output_bytes=? WHERE "+lastCall,
			append(get("status", "exit_code", "duration_ms"), len(ev.Get("output").Str), t.run.ID,
				ev.Get("call_id").Str)...)
	}
	return err
}

// value returns a JSON value as SQLite stores it. Objects and arrays are stored as text.
func value(v gjson.Result) any {
	switch v.Type {
	case gjson.String:
		return v.Str
	case gjson.Number:
		if f := v.Float(); f != float64(v.Int()) {
			return f
		}
		return v.Int()
	case gjson.True, gjson.False:
		return v.Bool()
	case gjson.JSON:
		return v.Raw
	}
	return nil
}
