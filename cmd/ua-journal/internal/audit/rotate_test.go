package audit

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Months are put Aside whole; those that ended long enough ago are removed, and
// a clock that goes back moves nothing.
func TestRotate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.jsonl")
	now := time.Now().UTC()
	month := now.Format("2006-01")
	write := func(name string, when time.Time) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		os.Chtimes(filepath.Join(dir, name), when, when)
	}
	names := func() string {
		entries, _ := os.ReadDir(dir)
		var list []string
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return strings.Join(list, " ")
	}
	write("audit.jsonl", now.AddDate(0, 2, 0))
	if err := rotate(path, month, 1); err != nil || names() != "audit.jsonl" {
		t.Fatalf("of the future: %s, %v", names(), err)
	}
	write("audit.jsonl", now)
	write("audit-2020-01.jsonl", now)
	write("audit-notes.jsonl", now)
	if err := rotate(path, month, 0); err != nil ||
		names() != "audit-2020-01.jsonl audit-notes.jsonl audit.jsonl" {
		t.Fatalf("of this month: %s, %v", names(), err)
	}
	old := time.Date(2020, 2, 3, 0, 0, 0, 0, time.UTC)
	write("audit.jsonl", old)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := rotate(path, month, 0); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if names() != "audit-2020-01.jsonl audit-2020-02.jsonl audit-notes.jsonl" {
		t.Fatalf("of the past: %s", names())
	}
	write("audit.jsonl", now)
	if err := rotate(path, month, 30); err != nil || names() != "audit-notes.jsonl audit.jsonl" {
		t.Fatalf("kept for 30 days: %s, %v", names(), err)
	}
}

func TestAuditLine(t *testing.T) {
	long := strings.Repeat("\x01", 5000)
	for _, c := range []struct{ line, want string }{
		{`{"type":"tool_call","id":"a","name":"shell","input":{"command":"ls"}}`,
			`"run":"r","call_id":"a","name":"shell","command":"ls"}`},
		{`{"type":"tool_result","call_id":"a","status":"run","exit_code":0,"output":"text"}`,
			`"call_id":"a","status":"run","exit_code":0}`},
		{`{"type":"tool_result","call_id":"a","status":"denied","output":"text"}`,
			`"call_id":"a","status":"denied","reason":"text"}`},
		{`{"type":"verdict","decision":"deny","delegates":false,"risk":["x"]}`,
			`"decision":"deny","delegates":false}`},
		{`{"type":"tool_call","id":"a","input":{"command":"` + strings.Repeat("é", 5000) + `"}}`,
			`é…[8400 bytes cut]"}`},
		{`{"type":"tool_call","id":"a","input":{"command":"` +
			strings.ReplaceAll(long, "\x01", `\u0001`) + `"}}`, ` bytes cut]"}`},
		{`{"type":"response"}`, ""}, {`{"type":"instruction","text":"private"}`, ""},
	} {
		got := string(newRecord("r", []byte(c.line)))
		if !strings.HasSuffix(got, c.want) || (c.want == "") != (got == "") || len(got)+1 >= maxRecord {
			t.Errorf("%.80s: %d bytes: %s", c.line, len(got), got)
		}
	}
}

func FuzzAuditEntry(f *testing.F) {
	f.Add(`{"type":"verdict","reason":"\u0001","command":"x","rule":1e999}`)
	f.Fuzz(func(t *testing.T, line string) {
		if got := newRecord(line, []byte(line)); len(got) >= maxRecord && len(line) < 100 {
			t.Errorf("%d bytes of %q", len(got), line)
		}
	})
}

// TestExpireAnyName: "Remove the audit logs of months that ended more than n days ago", however
// UA_AUDIT writes the log's path and whatever its name is; and no other file.
func TestExpireAnyName(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.Mkdir("sub", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"audit.jsonl", "./audit.jsonl", dir + "/audit.jsonl", dir + "//audit.jsonl",
		dir + "/./audit.jsonl", "sub/../audit.jsonl", "log", "./log",
	} {
		base := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		now := time.Now().UTC()
		young := base + "-" + now.Format("2006-01") + ".jsonl"
		keep := []string{
			young, base + "-notes.jsonl", base + "-2020-01.txt", base + "-2020-01",
			base + "-.jsonl", "other-2020-01.jsonl", base + "-2020-13.jsonl",
		}
		old := []string{
			base + "-2020-01.jsonl", base + "-2020-01-150405.000000.jsonl", base + "-1999-12.jsonl",
		}
		for _, name := range append(keep, old...) {
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := rotate(path, now.Format("2006-01"), 1); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := rotate(path, now.Format("2006-01"), 1); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		for _, name := range keep {
			if _, err := os.Lstat(name); err != nil {
				t.Errorf("%s: %s is gone", path, name)
			}
		}
		for _, name := range old {
			if _, err := os.Lstat(name); err == nil {
				t.Errorf("%s: %s is kept", path, name)
			}
		}
		for _, name := range append(keep, old...) {
			os.Remove(name)
		}
		os.Remove(path)
	}
}
