package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ua/internal/test/scripttest"
)

// TestMakeSlots has GNU make -j2 run recipes with one agent, and with several side by
// side, one of which is killed: no more than two work at once, and make gets all of its
// slots back.
func TestMakeSlots(t *testing.T) {
	scripttest.Need(t, "make")
	p := newPlace(t, os.Getuid())
	// each command notes how many of them there are
	p.recording("main.jsonl", "done",
		`f=$(mktemp on.XXXXXX); ls on.* | wc -l >>most; sleep 0.2; rm $f`)
	p.recording("long.jsonl", "never", "touch long; sleep 300")
	p.write("Makefile", `one: a b c d e f
a b c d e f:
	ua -q x
several: g h
g h:
	+ua -q x & ua -q x & ua -q x & wait
killed: i
i:
	+ua -q x & ua -q --model replay:long.jsonl x & ua -q --model replay:long.jsonl x & wait
`)
	makes := func(target string) string {
		cmd := p.command("ua")
		path, _ := filepath.EvalSymlinks("/usr/bin/make")
		cmd.Path, cmd.Args = path, []string{"make", "-s", "-j2", target}
		over, done := make(chan bool), make(chan bool)
		if target == "killed" {
			go func() {
				defer close(done)
				for range 2 { // the second waits for the slot of the first, or for make's
					scripttest.Await(t, "a long one", func() bool {
						select {
						case <-over: // both were killed at once
							return true
						default:
							return os.Remove(filepath.Join(p.cwd, "long")) == nil
						}
					})
					for _, q := range processes() {
						if is(q, "ua") && strings.Contains(q.name, "long") && len(descendants(q.pid)) > 3 {
							syscall.Kill(q.pid, syscall.SIGKILL)
						}
					}
				}
			}()
		} else {
			close(done)
		}
		out, err := cmd.CombinedOutput()
		close(over)
		<-done
		if err != nil {
			t.Errorf("%s: %v", target, err)
		}
		return string(out)
	}
	for target, runs := range map[string]int{"one": 6, "several": 6, "killed": 1} {
		os.Remove(filepath.Join(p.cwd, "most"))
		out := makes(target)
		if n := strings.Count(out, "done\n"); n != runs || strings.Contains(out, "token") ||
			strings.Contains(out, "warning") {
			t.Errorf("%s: %d answers: %s", target, n, out)
		}
		most, _ := os.ReadFile(filepath.Join(p.cwd, "most"))
		if strings.Trim(string(most), "12\n") != "" || strings.Contains(string(most), "11") ||
			len(most) == 0 {
			t.Errorf("%s: at once: %q", target, most)
		}
	}
}
