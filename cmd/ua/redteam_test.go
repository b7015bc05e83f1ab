package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestForgedSubagent has a command forge the run of a subagent, which a person then
// goes on with: no link in it leads our side, nor the commands, anywhere.
func TestForgedSubagent(t *testing.T) {
	const id = "20260101-000000-dddddd"
	for _, uid := range users() {
		for _, name := range []string{"stdout", "stderr", "limits.json", "ceiling.toml", "lock", "out", "sub", "media", "inbox", "gateway.sock"} {
			for _, way := range [][]string{{"ua", "resume"}, {"ua", "resume", "--bg"}} {
				p := newPlace(t, uid)
				precious, folder := filepath.Join(p.home, "precious"), filepath.Join(p.home, "folder")
				p.write(precious, "precious\n")
				p.write(filepath.Join(folder, "x"), "x\n")
				to := precious
				if strings.Contains("out sub media inbox", name) {
					to = folder
				}
				p.recording("main.jsonl", "done", fmt.Sprintf(`touch made; cd "${UA_JOURNAL%%/*}/sub"; mkdir %s; cd %[1]s; ln -s %s %s; `+
					`printf '{"type":"run","id":"%[1]s","depth":1,"task":"x"}\n{"type":"instruction","text":"x"}\n' >journal.jsonl`, id, to, name))
				p.run("ua", "task")
				p.recording("main.jsonl", "never", "true", fmt.Sprintf("touch %s/out; true", folder), "echo iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg== | base64 -d", "true")
				p.run(append(way, id, "more")...)
				p.run("ua", "wait", id)
				if text, err := os.ReadFile(precious); err != nil || string(text) != "precious\n" {
					t.Errorf("uid %d, %s, %s: %q %v", uid, name, way, text, err)
				}
				if left, _ := os.ReadDir(folder); len(left) != 1 {
					t.Errorf("uid %d, %s, %s: %v", uid, name, way, left)
				}
			}
		}
	}
}
