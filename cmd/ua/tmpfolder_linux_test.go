package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"ua/internal/test/scripttest"
)

// TestTmpAroundFolder: where the working folder lies below /tmp, the sandbox's own /tmp and
// /var/tmp take files by their full names, from a run and from its subagent; nothing of them
// is seen outside, and a reading command writes none beside the workspace.
func TestTmpAroundFolder(t *testing.T) {
	scripttest.NeedTier(t, "3")
	const words = `for d in /tmp /var/tmp; do echo v >$d/ua-out && cat $d/ua-out || exit 1
f=$(mktemp $d/a.XXXXXX) && rm $f || exit 1; done; [ -w "$TMPDIR" ] && test "$TMPDIR" != "$PWD"`
	for _, uid := range users() {
		t.Setenv("TMPDIR", "/tmp")
		p := newPlace(t, uid)
		p.recording("sub.jsonl", "sub", words)
		p.recording("main.jsonl", "done", words, "ua --model replay:sub.jsonl sub")
		if _, errs, status := p.run("ua", "task"); status != 0 {
			t.Fatalf("uid %d: status %d, %s", uid, status, errs)
		}
		for i, out := range p.outputs() {
			if out.Get("exit_code").Int() != 0 {
				t.Errorf("uid %d: command %d: %s", uid, i, out.Raw)
			}
		}
		for _, journal := range p.glob("*/sub/*/journal.jsonl") {
			text, _ := os.ReadFile(journal)
			if !bytes.Contains(text, []byte(`"exit_code":0`)) {
				t.Errorf("uid %d: subagent: %s", uid, text)
			}
		}
		for _, dir := range []string{"/tmp", "/var/tmp"} {
			if _, err := os.Lstat(filepath.Join(dir, "ua-out")); err == nil {
				t.Errorf("uid %d: %s/ua-out is made outside", uid, dir)
			}
		}
	}
}
