package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

const (
	startsLeaf = "UA_MODEL=replay:leaf.jsonl ua --bg leaf"
	startsPart = "UA_MODEL=replay:part.jsonl ua --bg part"
	stubborn   = `trap "" TERM INT HUP QUIT; while :; do sleep 308; done`
)

// TestBackgroundEndsWithParent ends a run whose commands have started agents in the
// background: each of these ends as a run does, with the last line of its journal.
func TestBackgroundEndsWithParent(t *testing.T) {
	scripttest.NeedProcesses(t)
	for _, c := range []struct {
		name string
		main []string
		leaf string
		sigs []syscall.Signal
	}{
		{"its command runs", []string{startsLeaf + "; sleep 309"}, "sleep 308",
			[]syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}},
		{"a later command runs", []string{startsLeaf, "sleep 309"}, "sleep 308",
			[]syscall.Signal{syscall.SIGINT}},
		{"one that starts another", []string{startsPart + "; sleep 309"}, "sleep 308",
			[]syscall.Signal{syscall.SIGTERM}},
		{"with a stubborn command", []string{startsLeaf + "; sleep 309"}, stubborn,
			[]syscall.Signal{syscall.SIGTERM}},
		{"with a stubborn orphan", []string{startsLeaf + "; sleep 309"},
			"setsid sh -c '" + stubborn + "' & sleep 310", []syscall.Signal{syscall.SIGTERM}},
	} {
		for _, sig := range c.sigs {
			for _, uid := range users() {
				t.Run(fmt.Sprintf("%s/%d/%d", c.name, sig, uid), func(t *testing.T) {
					var bad string
					for range 4 { // the time for it is short, and a busy machine slow
						if bad = endedWithParent(t, uid, sig, c.leaf, c.main...); bad == "" {
							return
						}
					}
					t.Error(bad)
				})
			}
		}
	}
}

// endedWithParent ends a run by the signal and returns what is wrong with the ends of the
// agents below it.
func endedWithParent(t *testing.T, uid int, sig syscall.Signal, leaf string,
	main ...string) (bad string) {
	t.Helper()
	p := newPlace(t, uid)
	p.recording("main.jsonl", "never", main...)
	p.recording("part.jsonl", "never", startsLeaf+"; sleep 311")
	p.recording("leaf.jsonl", "never", leaf)
	cmd := p.command("ua", "task")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all []process
	scripttest.Await(t, "the commands", func() bool {
		all = descendants(cmd.Process.Pid)
		runs := func(line string) bool {
			return slices.ContainsFunc(all, func(p process) bool { return p.name == line })
		}
		return runs("sleep 308") && runs("sleep 309")
	})
	cmd.Process.Signal(sig)
	cmd.Wait()
	scripttest.Await(t, "the end of all", func() bool { return len(alive(all)) == 0 })
	depth := 0
	filepath.WalkDir(p.home, func(path string, _ fs.DirEntry, _ error) error {
		if filepath.Base(path) != "journal.jsonl" {
			return nil
		}
		depth++
		want := 128 + int(syscall.SIGTERM) // which ends what is below
		if filepath.Dir(path) == p.glob("*")[0] {
			want = 128 + int(sig)
		}
		kept, _ := os.ReadFile(path)
		list := strings.Split(strings.TrimSpace(string(kept)), "\n")
		last := gjson.Parse(list[len(list)-1])
		if last.Get("type").Str != "summary" || int(last.Get("exit_code").Int()) != want ||
			!strings.HasPrefix(last.Get("message").Str, "stopped by ") {
			bad += fmt.Sprintf("%s ends with %.300s\n", path, last.Raw)
		}
		return nil
	})
	if depth < 2 {
		t.Fatalf("%d journals: %s", depth, &errs)
	}
	return bad
}
