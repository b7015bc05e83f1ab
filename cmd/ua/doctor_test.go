package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// TestDoctor holds that doctor's status and words follow what is wrong, one thing at
// a time, and that it never shows the key.
func TestDoctor(t *testing.T) {
	const key = "sk-ant-doctor-0123456789"
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" || r.Header.Get("x-api-key") != key {
			w.WriteHeader(401)
			w.Write([]byte(`{"type":"error","error":{"type":"authentication_error","message":"invalid ` +
				`x-api-key"}}`))
			return
		}
		w.Write([]byte(`{"data":[{"type":"model","id":"one"},{"type":"model","id":"two"}],` +
			`"has_more":false}`))
	}))
	defer provider.Close()
	with := func(extra ...string) *place {
		p := newPlace(t, os.Getuid())
		p.env = append(p.env[:3:3], "UA_MODEL=anthropic/one", "ANTHROPIC_BASE_URL="+provider.URL,
			"ANTHROPIC_API_KEY="+key)
		p.env = append(p.env, extra...)
		return p
	}
	settings := func(p *place, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(p.home, ".config/ua/config.toml")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		os.Chmod(path, mode)
	}
	for _, c := range []struct {
		name   string
		p      *place
		before func(*place)
		status int
		check  string // of which the state is
		state  string
		words  string
	}{
		{"all is well", with(), nil, 0, "anthropic", "ok", "offers 2 models"},
		{"a wrong key", with("ANTHROPIC_API_KEY=wrong"), nil, 1, "anthropic", "failed",
			"invalid x-api-key"},
		{"no model", with("UA_MODEL=", "ANTHROPIC_API_KEY="), nil, 1, "model", "failed",
			"no model is set"},
		{"settings that are no TOML", with(), func(p *place) { settings(p, "[ua\n", 0o600) }, 1,
			"settings", "failed", "config.toml:2"},
		{"settings that others may write", with(), func(p *place) { settings(p, "[ua]\n", 0o666) }, 0,
			"settings", "warning", "chmod 600"},
		{"settings that UA_CONFIG names in vain", with("UA_CONFIG=" + t.TempDir() + "/none"), nil, 1,
			"settings", "failed", "does not exist"},
		{"no shell on PATH", with(), func(p *place) { p.env[1] = "PATH=" + p.bin }, 0, "shells",
			"warning", "without bash"},
		{"settings and policy that are links", with(), func(p *place) {
			settings(p, "[ua]\n", 0o600)
			at := filepath.Join(p.home, ".config/ua")
			os.Rename(at+"/config.toml", p.home+"/mine.toml")
			os.Symlink(p.home+"/mine.toml", at+"/config.toml")
			os.Symlink(p.home+"/mine.toml", at+"/policy.toml")
		}, 1, "settings", "ok", "1 table"}, // and the policy knows no [ua]
	} {
		if c.before != nil {
			c.before(c.p)
		}
		cmd := c.p.command("ua", "doctor", "--json")
		out, err := cmd.CombinedOutput()
		if status := cmd.ProcessState.ExitCode(); status != c.status {
			t.Errorf("%s: status %d, want %d (%v)\n%s", c.name, status, c.status, err, out)
		}
		found := gjson.GetBytes(out, `checks.#(name=="`+c.check+`")`)
		if found.Get("state").Str != c.state || !strings.Contains(found.Raw, c.words) {
			t.Errorf("%s: %s\n%s", c.name, found.Raw, out)
		}
		if strings.Contains(string(out), key) {
			t.Errorf("%s: shows the key: %s", c.name, out)
		}
		text, _ := c.p.command("ua", "doctor").CombinedOutput()
		if !strings.Contains(string(text), c.check) || strings.Contains(string(text), "\x1b") {
			t.Errorf("%s: as text: %s", c.name, text)
		}
	}
}

// TestDoctorAgrees holds that doctor's status is that of a task in the same place: each
// case breaks one piece, and a recorded task with one command is the truth.
func TestDoctorAgrees(t *testing.T) {
	for _, c := range []struct{ name, set, env, dir string }{
		{name: "all is well"},
		{name: "a folder of runs elsewhere",
			set: "mkdir -p ~/.local/state/ua ~/far; ln -s ~/far ~/.local/state/ua/runs"},
		{name: "a state folder that is a file", set: "mkdir -p ~/.local/state; >~/.local/state/ua"},
		{name: "a think that is not there", set: `echo 'think = "nosuch"' >>$C`},
		{name: "a gate that is not there", set: `echo 'gate = "nosuch"' >>$C`},
		{name: "an exec that is not there", set: `echo 'exec = "nosuch"' >>$C`},
		{name: "an exec of the user's own", set: `echo 'exec = "ua-sandbox -- ua-exec"' >>$C`},
		{name: "a think of the user's own", set: `echo 'think = "ua-think"' >>$C`},
		{name: "a folder to write that is not there",
			set: `printf '[sandbox]\nwrite = ["/nonexistent/a"]\n' >>$C`},
		{name: "a socket that is not there",
			set: `printf '[sandbox]\nsocket = ["/nonexistent/a"]\n' >>$C`},
		{name: "a host that is none", set: `printf '[sandbox]\nnet_allow = ["http://x y"]\n' >>$C`},
		{name: "a policy that is no TOML", set: `echo '[x' >~/.config/ua/policy.toml`},
		{name: "a project's policy that is no TOML", set: `mkdir .ua; echo '[x' >.ua/policy.toml`},
		{name: "a folder of secrets", set: "mkdir ~/.ssh; cp main.jsonl ~/.ssh", dir: ".ssh"},
		{name: "a program that fails",
			set: `mkdir ~/b; cp "$B"/ua* ~/b; printf '#!/bin/sh\nexit 3\n' >~/b/ua-exec`},
		{name: "no settings", env: "UA_CONFIG=/dev/null"},
		{name: "agents too deep", env: "UA_DEPTH=3"},
		{name: "a recording that is not there", env: "UA_MODEL=replay:/nonexistent"},
		{name: "a model that is no program", env: "UA_MODEL=exec:/nonexistent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t, os.Getuid())
			p.recording("main.jsonl", "done", "mkdir -p made")
			p.write(filepath.Join(p.home, ".config/ua/config.toml"), "[ua]\n")
			p.env = append(p.env, "B="+p.bin, "C="+filepath.Join(p.home, ".config/ua/config.toml"), c.env)
			set := exec.Command("sh", "-c", c.set)
			set.Dir, set.Env = p.cwd, p.env
			if out, err := set.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if own := filepath.Join(p.home, "b"); c.name == "a program that fails" {
				p.bin = own
			}
			if c.dir != "" {
				p.cwd = filepath.Join(p.home, c.dir)
			}
			task := p.command("ua", "-q", "x")
			why, err := task.CombinedOutput()
			look := p.command("ua", "doctor")
			out, err2 := look.CombinedOutput()
			if (err == nil) != (err2 == nil) {
				t.Errorf("a task: %v\n%s\nua doctor: %v\n%s", err, why, err2, out)
			}
			left, _ := filepath.Glob(filepath.Join(p.home, ".local/state/ua/d*"))
			if len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

// TestDoctorInterrupted holds that Ctrl-C ends doctor at once, wherever it is, and that
// nothing of it is left: no folder, no process of its trial.
func TestDoctorInterrupted(t *testing.T) {
	for _, c := range []struct{ name, set, env string }{
		{"in the trial", "think = \"ua-think\"\nexec = 'touch ~/there; exec sleep 1003'\n", ""},
		{"at the model", "", "UA_MODEL=exec:touch ~/there; exec sleep 1003"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t, os.Getuid())
			p.recording("main.jsonl", "done", "mkdir -p made")
			p.write(filepath.Join(p.home, ".config/ua/config.toml"), "[ua]\n"+c.set)
			p.env = append(p.env, c.env, "UA_CONFIG="+filepath.Join(p.home, ".config/ua/config.toml"))
			cmd := p.command("ua", "doctor")
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill()
			there := filepath.Join(p.home, "there")
			for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
				if _, err := os.Stat(there); err == nil {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("never there: %s", &out)
				}
			}
			cmd.Process.Signal(os.Interrupt)
			cmd.Wait()
			if status := cmd.ProcessState.ExitCode(); status != 130 || out.Len() > 0 {
				t.Errorf("status %d, want 130\n%s", status, &out)
			}
			if left, _ := filepath.Glob(filepath.Join(p.home, ".local/state/ua/d*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}
