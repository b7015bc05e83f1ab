package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAuditFile has something else stand where the audit log is to be: whoever writes it
// neither waits for it nor follows it, and nothing is written elsewhere.
func TestAuditFile(t *testing.T) {
	for _, uid := range users() {
		for _, place := range []string{"home", "work"} {
			for kind, put := range map[string]func(path, victim string) error{
				"FIFO":        func(path, _ string) error { return syscall.Mkfifo(path, 0o666) },
				"link":        func(path, victim string) error { return os.Symlink(victim, path) },
				"dangling":    func(path, victim string) error { return os.Symlink(victim+".new", path) },
				"zero":        func(path, _ string) error { return os.Symlink("/dev/zero", path) },
				"full":        func(path, _ string) error { return os.Symlink("/dev/full", path) },
				"folder":      func(path, _ string) error { return os.Mkdir(path, 0o777) },
				"linked loop": func(path, _ string) error { return os.Symlink(filepath.Base(path), path) },
			} {
				p := newPlace(t, uid)
				victim := filepath.Join(p.home, "victim")
				p.write(victim, "precious\n")
				path := filepath.Join(map[string]string{"home": p.home, "work": p.cwd}[place], "audit.jsonl")
				if err := errors.Join(put(path, victim), os.Lchown(path, uid, uid)); err != nil {
					t.Fatal(err)
				}
				p.env = append(p.env, "UA_AUDIT="+path)
				p.recording("main.jsonl", "done", "echo x >made")
				for _, line := range []string{
					"ua-sandbox --quiet --tier 2 -- echo ran", "ua-sandbox --quiet -- echo ran",
					"ua task", "ua-journal ls", "ua-journal cat audit", "ua doctor",
				} {
					said, killed := p.ends(strings.Fields(line)...)
					ran := said == "ran\n" || place == "work" && strings.Contains(said, "is a symbolic link")
					if killed || strings.HasPrefix(line, "ua-sandbox") && !ran {
						t.Errorf("uid %d: %s in %s: %s: %s", uid, kind, place, line, said)
					}
				}
				text, err := os.ReadFile(victim)
				_, made := os.Lstat(victim + ".new")
				if string(text) != "precious\n" || made == nil {
					t.Errorf("uid %d: %s in %s: %q, %v, %v", uid, kind, place, text, err, made)
				}
			}
		}
	}
}
