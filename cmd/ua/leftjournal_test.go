package main

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// leaveJournals has a command make, where its run's subagents have theirs, the folders of
// runs whose journals are none: a FIFO, a link to a device, a hole without an end, a
// journal that goes on as one, a folder.
const leaveJournals = `cd "$(dirname "$UA_JOURNAL")/sub"; id=20260101-000000-dddddd
for n in 1 2 3 4 5; do mkdir $id$n; done
mkfifo ${id}1/journal.jsonl; ln -s /dev/zero ${id}2/journal.jsonl
truncate -s 1T ${id}3/journal.jsonl
for type in run instruction turn response summary; do
	printf '{"type":"%s","text":"x"}\n' $type
done >${id}4/journal.jsonl
truncate -s 1T ${id}4/journal.jsonl; mkdir ${id}5/journal.jsonl`

// ends runs one of our programs, which is killed should it not end by itself, and returns
// all that it printed and whether it had to be.
func (p *place) ends(args ...string) (said string, killed bool) {
	p.t.Helper()
	cmd := p.command(args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer late.Stop()
	cmd.Wait()
	ws := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return out.String(), ws.Signaled() && ws.Signal() == syscall.SIGKILL
}

// TestLeftJournals asks every reader of runs for what a command has left there: none waits
// for it or reads without an end.
func TestLeftJournals(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "done", leaveJournals)
	if _, errs, status := p.run("ua", "task"); status != 0 ||
		len(p.glob("*/sub/*/journal.jsonl")) != 5 {
		t.Fatalf("status %d, %s", status, errs)
	}
	id := "20260101-000000-dddddd"
	for _, line := range []string{
		"ua info", "ua log", "ua wait", "ua stop", "ua resume", "ua-journal cat",
		"ua-journal show", "ua-journal tail", "ua-journal verify", "ua-journal read",
		"ua-journal calls", "ua-journal answer", "ua-journal replay", "ua-journal export --csv",
		"ua-journal end", "ua-gate replay",
	} {
		for _, n := range []string{"1", "2", "3", "4", "5"} {
			said, killed := p.ends(append(strings.Fields(line), id+n)...)
			if killed || strings.Contains(said, "goroutine ") {
				t.Errorf("%s, journal %s: %s", line, n, said)
			}
		}
	}
	for _, line := range []string{
		"ua ps -a", "ua tree", "ua job ls -a", "ua-journal ls", "ua-journal index",
		"ua-journal grep --all x", "ua-journal export --all --csv", "ua complete -- ua log ",
		"ua gc",
	} {
		said, killed := p.ends(strings.Fields(line)...)
		if killed || strings.Contains(said, "goroutine ") {
			t.Errorf("%s: %s", line, said)
		}
	}
	scripttest.Need(t, "bash")
	whole, _, _ := p.run("ua-journal", "cat", "last")
	cmd := p.command("ua")
	cmd.Path, cmd.Args = "/bin/bash", []string{"bash", "-c", `journal=$(ua-journal path last)
ua-journal cat <(cat "$journal")
mkfifo pipe.jsonl; cat "$journal" >pipe.jsonl & ua-journal cat pipe.jsonl
ln -s "$journal" link.jsonl; ua-journal cat ./link.jsonl; ua-journal tail -n 99999 ./link.jsonl`}
	out, err := cmd.Output()
	if err != nil || string(out) != strings.Repeat(whole, 4) {
		t.Errorf("%v: %d bytes of 4 times %d", err, len(out), len(whole))
	}
}

// TestDeepSettings leaves in a project settings and a policy that a parser takes hours for:
// the next run there says so at once.
func TestDeepSettings(t *testing.T) {
	for _, name := range []string{".ua/config.toml", ".ua/policy.toml"} {
		p := newPlace(t, os.Getuid())
		p.recording("main.jsonl", "done", "echo x")
		p.write(name, "a = "+strings.Repeat("{a=", 300_000))
		said, killed := p.ends("ua", "task")
		if killed || !strings.Contains(said, "nested too deep") || strings.Contains(said, "goroutine ") {
			t.Errorf("%s: %.500s", name, said)
		}
	}
}
