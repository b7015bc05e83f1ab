package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// TestManyForgedRuns has a command make the folders of thousands of subagents, or, with
// UA_TEST_ALL=1, of 40,000. What looks at runs
// later names no more files than the thousand runs have that it reads at most, and neither
// does the next run, nor one that removes old work trees once all of it is old.
func TestManyForgedRuns(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		scripttest.Skip(t, scripttest.Elsewhere, "strace is not installed; TestForgedRuns runs")
	}
	many := 4000
	if os.Getenv("UA_TEST_ALL") != "" {
		many = 40000
	}
	const forge = `cp "$1/line" j; seq -f 20260101-000000-%06.0f "$2" >n; xargs mkdir <n
sed s,$,/journal.jsonl, n | xargs sh -c 'tee -- "$@" <j >/dev/null' _; rm j n; mkdir -p \
	"$(seq -s / -f 20260101-000000-%06.0f/sub 14)"`
	who := users()
	p := newPlace(t, who[len(who)-1])
	p.write("line", `{"type":"run","id":"20260101-000000-dddddd","depth":1,"task":"x"}`+"\n")
	p.write("forge", forge)
	p.recording("main.jsonl", "done", `cd "${UA_JOURNAL%/*}/sub" && sh "$OLDPWD/forge" "$OLDPWD" `+
		strconv.Itoa(many))
	p.run("ua", "task")
	if made := p.glob("*/sub/*"); len(made) != many {
		t.Fatalf("%d made", len(made))
	}
	p.recording("main.jsonl", "done", "true")
	bounded := func(args ...string) {
		log := filepath.Join(p.home, "calls")
		cmd := p.command(append([]string{"ua"}, args...)...)
		cmd.Path, cmd.Args = strace, append([]string{strace, "-f", "-c", "-e", "trace=%file", "-o", log},
			cmd.Args...)
		out, err := cmd.CombinedOutput()
		summary, _ := os.ReadFile(log)
		total, ok := totalCalls(string(summary))
		if t.Logf("%v: %d calls", args, total); err != nil || !ok || total > 10000 {
			t.Errorf("%v: %d calls: %v: %.2000s", args, total, err, out)
		}
	}
	for _, args := range []string{"ps", "ps --all", "tree last", "asks", "task"} {
		bounded(strings.Fields(args)...)
	}
	old := time.Now().Add(-1000 * time.Hour)
	for _, journal := range p.glob("*/journal.jsonl") {
		os.Chtimes(journal, old, old)
	}
	os.Remove(filepath.Join(p.home, ".local/state/ua/.pruned"))
	bounded("task")
}

// totalCalls is the number of system calls that a summary of strace(1) ends with.
func totalCalls(summary string) (int, bool) {
	for line := range strings.Lines(summary) {
		if f := strings.Fields(line); len(f) > 3 && f[len(f)-1] == "total" {
			n, err := strconv.Atoi(f[3])
			return n, err == nil
		}
	}
	return 0, false
}
