package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ua/internal/test/scripttest"
)

// TestPlantedLink names files for a run that commands of an earlier one have replaced by
// symbolic links, or that its own replace: nothing that they lead to is sent to the model,
// or written. The user's own links elsewhere, and links within the folder, are followed.
func TestPlantedLink(t *testing.T) {
	for _, uid := range users() {
		for _, c := range []struct{ plant, during, args, says string }{
			{"ln -s ~/.ssh/id notes", "true", "-a notes", "leads out"},
			{"ln -s ~/.ssh docs", "true", "-a docs/id", "leads out"},
			{"ln -s ~/.ssh/id prompt", "true", "--system prompt", "leads out"},
			{"ln -s ~/.ssh/id.json s.json", "true", "--schema s.json", "leads out"},
			{"ln -s ~/.ssh out", "true", "-o out/authorized_keys", "leads out"},
			{"ln -s /dev/tty out", "true", "-o out", "leads out"},
			{"mkdir out", "rmdir out; ln -s ~/.ssh out", "-o out/authorized_keys", "leads out"},
			{"true", "ln -s /dev/stderr out", "-o out", "leads out"},
			{"ln -s notes link; touch notes", "true", "-a link", ""},
			{"mkdir sub; ln -s sub out", "true", "-o out/answer", ""},
			{"true", "true", "-o HOME/link/answer", ""},
			{"true", "true", "-a HOME/link/file", ""},
		} {
			t.Run(fmt.Sprintf("uid%d/%s/%s", uid, c.plant, c.args), func(t *testing.T) {
				t.Parallel()
				p := newPlace(t, uid)
				p.write(filepath.Join(p.home, ".ssh/id"), "MARKER\n")
				p.write(filepath.Join(p.home, ".ssh/id.json"), `{"type":"object","title":"MARKER"}`)
				p.write(filepath.Join(p.home, "folder/file"), "text\n")
				if err := os.Symlink("folder", filepath.Join(p.home, "link")); err != nil {
					t.Fatal(err)
				}
				p.recording("main.jsonl", "done", c.plant)
				if _, errs, status := p.run("ua", "task"); status != 0 {
					t.Fatal(errs)
				}
				m := p.model("call: " + c.during + "\n---\ntext: ANSWER")
				args := append([]string{"ua"}, strings.Fields(strings.ReplaceAll(c.args, "HOME", p.home))...)
				_, errs, status := p.run(append(args, "task")...)
				if (status != 0) != (c.says != "") || !strings.Contains(errs, c.says) ||
					strings.Contains(errs, "ANSWER") {
					t.Errorf("%s, %s: status %d: %s", c.plant, c.args, status, errs)
				}
				for _, path := range m.Requests() {
					if body, _ := os.ReadFile(path); strings.Contains(string(body), "MARKER") {
						t.Errorf("%s: sent: %.300s", c.args, body)
					}
				}
				if left, _ := os.ReadDir(filepath.Join(p.home, ".ssh")); len(left) != 2 {
					t.Errorf("%s: %v", c.args, left)
				}
			})
		}
	}
}

// TestPipeForAnswer: a pipe that a command leaves in the place of the answer's file, and
// that nobody reads, does not keep ua from ending by a signal.
func TestPipeForAnswer(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.recording("main.jsonl", "done", "mkfifo out")
	cmd := p.command("ua", "-o", "out", "task")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	summed := func() bool {
		kept, _ := os.ReadFile(strings.Join(p.glob("*/journal.jsonl"), ""))
		return strings.Contains(string(kept), `"type":"summary"`)
	}
	scripttest.Await(t, "the summary", summed)
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	scripttest.Await(t, "the end by a signal", func() bool {
		cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
			return true
		default:
			return false
		}
	})
	if got := fmt.Sprint(cmd.ProcessState); got != "signal: terminated" {
		t.Error(got)
	}
}
