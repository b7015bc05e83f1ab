package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// planted are what stands in place of a file: what a reader would wait for, what has no end, and
// what is no file.
var planted = map[string]func(path string) error{
	"FIFO":           func(path string) error { return unix.Mkfifo(path, 0o666) },
	"endless device": func(path string) error { return os.Symlink("/dev/zero", path) },
	"folder":         func(path string) error { return os.Mkdir(path, 0o777) },
	"link to FIFO": func(path string) error {
		if err := unix.Mkfifo(path+".fifo", 0o666); err != nil {
			return err
		}
		return os.Symlink(path+".fifo", path)
	},
}

// TestPlantedInRun puts something else in place of each file of a finished run: every verb that
// reads runs comes back, and no process stays.
func TestPlantedInRun(t *testing.T) {
	for what, plant := range planted {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, os.Getuid())
			p.recording("main.jsonl", "done", "echo x; echo y >&2")
			if _, errs, status := p.run("ua", "task"); status != 0 {
				t.Fatalf("status %d: %s", status, errs)
			}
			dir := filepath.Dir(p.glob("*/journal.jsonl")[0])
			id := filepath.Base(dir)
			names := map[string]bool{"inbox": true, "answers": true, "stderr": true, "stdout": true,
				"ceiling.toml": true, "sub": true, ".spawn": true, "jobs": true, "net.jsonl": true}
			files, _ := filepath.Glob(filepath.Join(dir, "*"))
			for _, file := range files {
				names[filepath.Base(file)] = true
			}
			for name := range names {
				path := filepath.Join(dir, name)
				aside := filepath.Join(p.home, "aside")
				moved := os.Rename(path, aside) == nil
				if err := plant(path); err != nil {
					t.Fatal(err)
				}
				for _, line := range []string{"ua ps -a", "ua log " + id, "ua info " + id,
					"ua tree", "ua stop " + id, "ua wait " + id, "ua send " + id + " x", "ua job ls -a",
					"ua undo " + id, "ua resume " + id + " more", "ua-journal cat " + id,
					"ua-journal verify " + id, "ua-journal ls", "ua gc"} {
					t.Logf("%s as %s: %s", name, what, line)
					_, errs, status := p.run(strings.Fields(line)...)
					if status < 0 || status == 2 && strings.Contains(errs, "panic") {
						t.Errorf("%s: %s: status %d: %s", name, line, status, errs)
					}
				}
				os.RemoveAll(path)
				os.Remove(path + ".fifo")
				if moved {
					if err := os.Rename(aside, path); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}
