package shipping

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"syscall"

	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// A postgres is the table ua_journal of a database, asked by psql(1): a row for each line, named
// by the byte at which it begins. Media are not kept there.
type postgres struct{ psql, url string }

// schema makes the table, and the view in which lines are JSON, unless they are there. A line
// that jsonb does not take has NULL there, and its bytes in the table all the same.
const schema = `SELECT to_regclass('ua_journal') IS NULL AS missing \gset
\if :missing
BEGIN;
SELECT pg_advisory_xact_lock(7823) \g /dev/null
CREATE TABLE IF NOT EXISTS ua_journal (journal text, at bigint, line bytea NOT NULL, event jsonb,
	PRIMARY KEY (journal, at));
CREATE OR REPLACE FUNCTION ua_event(line bytea) RETURNS jsonb LANGUAGE plpgsql AS $$ BEGIN
	RETURN convert_from(line, 'UTF8')::jsonb;
EXCEPTION WHEN OTHERS THEN BEGIN
	RETURN replace(convert_from(line, 'UTF8'), '\u0000', '\ufffd')::jsonb;
EXCEPTION WHEN OTHERS THEN RETURN NULL; END; END $$;
CREATE OR REPLACE VIEW ua_events AS SELECT split_part(journal, '/', 1) AS host,
	regexp_replace(journal, '^.*/', '') AS run, journal, at, event->>'type' AS type, event
	FROM ua_journal;
COMMIT;
\endif
`

// newPostgres returns the table of a database. libpq's variables and files have the password.
func newPostgres(url string) (Archive, error) {
	psql, err := config.LookOutside("psql")
	if err != nil {
		return nil, prog.Errorf(prog.NotFound, "%v", err)
	}
	p := postgres{psql, url}
	_, err = p.ask(schema, "", nil)
	return p, err
}

// ask runs a script, in which :'name' is a name, and returns what it prints.
func (p postgres) ask(script, name string, numbers map[string]int64) (string, error) {
	args := []string{"-XqAtw", "-v", "ON_ERROR_STOP=1", "-v", "name=" + path.Dir(name), "-d", p.url}
	for k, v := range numbers {
		args = append(args, "-v", k+"="+strconv.FormatInt(v, 10))
	}
	cmd := exec.Command(p.psql, args...)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(script), &said
	cmd.SysProcAttr = prog.DieWithParent(&syscall.SysProcAttr{}, syscall.SIGKILL)
	out, err := cmd.Output()
	if err != nil {
		why, _, _ := strings.Cut(strings.TrimSpace(said.String()), "\n")
		return "", prog.Errorf(prog.TryLater, "psql: %s", why)
	}
	return string(out), nil
}

func isJournal(name string) bool { return path.Base(name) == run.JournalFile }

func (p postgres) Size(name string) (n int64, err error) {
	if !isJournal(name) {
		return 0, nil
	}
	out, err := p.ask(`SELECT coalesce(max(at + octet_length(line) + 1), 0) FROM ua_journal
		WHERE journal = :'name';`, name, nil)
	if err == nil {
		n, err = strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	}
	return n, err
}

func (p postgres) Read(name string, from, to int64) (data []byte, err error) {
	out, err := p.ask(`SELECT encode(line, 'hex') FROM ua_journal WHERE journal = :'name'
		AND at >= :from AND at < :to ORDER BY at;`, name, map[string]int64{"from": from, "to": to})
	for line := range strings.Lines(out) {
		line, bad := hex.DecodeString(strings.TrimSuffix(line, "\n"))
		if bad != nil {
			return nil, bad
		}
		data = append(append(data, line...), '\n')
	}
	return data, err
}

func (p postgres) Write(name string, f io.ReaderAt, from, to int64) error {
	if !isJournal(name) {
		return nil
	}
	text := make([]byte, to-from)
	if _, err := f.ReadAt(text, from); err != nil {
		return err
	}
	var script strings.Builder
	script.WriteString("BEGIN;\nCREATE TEMP TABLE piece (at bigint, line bytea) ON COMMIT DROP;\n" +
		"COPY piece FROM STDIN;\n")
	for line := range bytes.Lines(text) {
		fmt.Fprintf(&script, "%d\t\\\\x%x\n", from, bytes.TrimSuffix(line, []byte{'\n'}))
		from += int64(len(line))
	}
	script.WriteString("\\.\nINSERT INTO ua_journal SELECT :'name', at, line, ua_event(line) " +
		"FROM piece\n\tON CONFLICT DO NOTHING;\nCOMMIT;\n")
	_, err := p.ask(script.String(), name, nil)
	return err
}
