package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestStoredKey holds that a key of ua keys set serves a run, that the run's commands can't
// read it in any profile, and that no journal, output or list has it.
func TestStoredKey(t *testing.T) {
	t.Parallel()
	const key = "stored.0123456789.plain" // of a form that nothing takes for a key
	for _, uid := range users() {
		for _, profile := range []string{"workspace", "network"} {
			p := newPlace(t, uid)
			look := "cat " + p.home + "/.config/ua/keys/*; cat ~/.config/ua/keys/anthropic; " +
				"ls -laR " + p.home + "/.config/ua; grep -rs stored.0 " + p.home + " /proc/*/environ; " +
				"secret-tool lookup application ua provider anthropic; env; true"
			p.model("call: " + look + "\n---\ntext: done")
			p.env = append(p.env, "ANTHROPIC_API_KEY=")
			set := p.command("ua", "keys", "set", "anthropic")
			set.Stdin = strings.NewReader(key + "\n")
			if out, err := set.CombinedOutput(); err != nil || strings.Contains(string(out), key) {
				t.Fatalf("%v %s", err, out)
			}
			list, err := p.command("ua", "keys").CombinedOutput()
			if err != nil || strings.Join(strings.Fields(string(list)), " ") != "anthropic file" {
				t.Errorf("%v %s", err, list)
			}
			out, err := p.command("ua", "--json", "--profile", profile, "task").CombinedOutput()
			if err != nil || len(p.events("tool_result")) != 1 {
				t.Errorf("uid %d, %s: %v %s", uid, profile, err, out)
			}
			if strings.Contains(string(out), key) {
				t.Errorf("uid %d, %s: the key is shown: %s", uid, profile, out)
			}
			for _, narrow := range []string{"read-only", profile} {
				out, err := p.command("ua-sandbox", "--profile", narrow, "--", "sh", "-c", look).
					CombinedOutput()
				if err != nil || strings.Contains(string(out), key) {
					t.Errorf("uid %d, %s: %v %s", uid, narrow, err, out)
				}
			}
			found, _ := exec.Command("grep", "-rl", key, p.home, p.cwd).Output()
			file := filepath.Join(p.home, ".config/ua/keys/anthropic")
			if got := strings.TrimSpace(string(found)); got != file {
				t.Errorf("uid %d, %s: the key is in %s", uid, profile, got)
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v %v", info, err)
			}
			doctor, _ := p.command("ua", "doctor", "--json").Output()
			if !strings.Contains(string(doctor), "anthropic (file)") ||
				strings.Contains(string(doctor), key) {
				t.Errorf("%s", doctor)
			}
		}
	}
}
