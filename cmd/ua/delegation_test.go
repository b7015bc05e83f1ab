package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// TestDelegation starts subagents where the state folder is not in the working
// folder, as is normal, by every user that there is here.
func TestDelegation(t *testing.T) {
	scripttest.NeedProcesses(t)
	for _, uid := range users() {
		for _, c := range []struct{ name, command string }{
			{"plain", "ua --model replay:sub.jsonl 'a part'"},
			{"from a script", `for x in 1; do ua --model replay:sub.jsonl "part $x"; done`},
			{"side by side", "ua --model replay:sub.jsonl 'a part' & wait"},
			{"with another depth", "UA_DEPTH=0 ua --model replay:sub.jsonl 'a part'"},
			{"with no variable", "env -u UA_DEPTH -u UA_RUN_DIR -u UA_JOURNAL ua --model " +
				"replay:sub.jsonl 'a part'"},
			{"of a definition that starts none itself",
				"ua --agent desktop --model replay:sub.jsonl 'a part'"},
			{"with another folder", "UA_RUN_DIR=/tmp/elsewhere ua --model replay:sub.jsonl 'a part'"},
		} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				p := newPlace(t, uid)
				p.recording("main.jsonl", "done", c.command)
				p.recording("sub.jsonl", "part done", "echo inner > made; cat made")
				if out, errs, status := p.run("ua", "all of it"); status != 0 || out != "done\n" {
					t.Fatalf("status %d, %q\n%s", status, out, errs)
				}
				if out := p.outputs()[0].Get("output").Str; !strings.Contains(out, "part done") ||
					!strings.Contains(out, "[ua:sub pid=") || !strings.Contains(out, "depth=1 run=") {
					t.Errorf("the parent sees %s", out)
				}
				if _, err := os.Stat(filepath.Join(p.cwd, "made")); err != nil {
					t.Error(err)
				}
				kept, _ := os.ReadFile(strings.Join(p.glob("*/sub/*/journal.jsonl"), ""))
				if !strings.Contains(string(kept), `"depth":1`) ||
					!strings.Contains(string(kept), `"exit_code":0,"tokens_in"`) {
					t.Errorf("the child's journal in sub: %s", kept)
				}
			})
		}
	}
}

// TestJournalInside reads the run's journal in every profile and writes it in
// none.
func TestJournalInside(t *testing.T) {
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.recording("main.jsonl", "done", `jq -r .type "$UA_JOURNAL" | head -n 1`,
			`touch a; jq -r .type "$UA_JOURNAL" | head -n 1`,
			`touch a; echo x >> "$UA_JOURNAL"; rm -f "$UA_JOURNAL"; mv "${UA_JOURNAL%/*}" away; touch `+
				`"${UA_JOURNAL%/*}/x"; true`)
		p.run("ua", "task")
		for i, r := range p.outputs()[:2] {
			if out := r.Get("output").Str; !strings.Contains(out, "\nrun\n") {
				t.Errorf("uid %d, command %d: %s", uid, i, out)
			}
		}
		if out, errs, status := p.run("ua-journal", "verify"); status != 0 || len(p.glob("*/x")) > 0 {
			t.Errorf("uid %d: %s%s %v", uid, out, errs, p.outputs()[2])
		}
	}
}

// TestResumeInside goes on with a run whose folder lies in the working folder: its
// commands write there only where subagents and whole outputs go.
func TestResumeInside(t *testing.T) {
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.recording("main.jsonl", "first", "true")
		p.run("ua", "task")
		if out, err := exec.Command("cp", "-a", p.glob("*")[0],
			filepath.Join(p.cwd, "run")).CombinedOutput(); err != nil {
			t.Fatalf("%s", out)
		}
		before, _ := os.ReadFile(filepath.Join(p.cwd, "run/journal.jsonl"))
		p.recording("main.jsonl", "second", "never",
			`rm -rf run; mv run away; mkdir -p run; rm -f run/journal.jsonl; mkfifo run/journal.jsonl; ln `+
				`-s /dev/zero run/lock; echo x >> run/journal.jsonl; true`, "true")
		out, errs, status := p.run("ua", "resume", "./run", "more")
		after, _ := os.ReadFile(filepath.Join(p.cwd, "run/journal.jsonl"))
		if status != 0 || out != "second\n" || !bytes.HasPrefix(after, before) ||
			bytes.Count(after, []byte(`"type":"summary"`)) != 2 {
			t.Errorf("uid %d: status %d, %q, %s\n%s", uid, status, out, errs, after)
		}
		if out, errs, status := p.run("ua-journal", "verify", "./run"); status != 0 {
			t.Errorf("uid %d: %s%s", uid, out, errs)
		}
	}
}

// TestSandboxSettings has what the settings and options let in reach commands.
func TestSandboxSettings(t *testing.T) {
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.write(filepath.Join(p.home, "inbox/a"), "a\n")
		p.write(filepath.Join(p.home, "outbox/a"), "a\n")
		p.write(filepath.Join(p.home, ".ssh/config"), "Host known\n")
		p.env = append(p.env, "BUILD_TOKEN=not-so-secret")
		probe := `touch ~/inbox/b ~/outbox/b; cat ~/.ssh/config; test "$BUILD_TOKEN" = not-so-secret ` +
			`&& echo token came; echo "limit $(ulimit -u) $(cat /proc/sys/kernel/pid_max) of processes"`
		p.recording("main.jsonl", "done", probe)
		p.run("ua", "task")
		r := p.outputs()[0]
		if out := r.Get("output").Str; strings.Contains(out, "Host known") ||
			strings.Contains(out, "token came") || !limitsProcesses(r, uid, 4096) ||
			len(p.names("inbox")+p.names("outbox")) != 2 {
			t.Errorf("uid %d, nothing let in: %s %s %s", uid, out, p.names("inbox"), p.names("outbox"))
		}
		p.write(filepath.Join(p.home, ".config/ua/config.toml"),
			"[sandbox]\nwrite = [\"~/inbox\"]\nread = [\"~/.ssh/config\"]\nenv = [\"BUILD_TOKEN\"]\npids "+
				"= 200\nmem = \"4G\"\n")
		if _, errs, status := p.run("ua", "--write", filepath.Join(p.home, "outbox"),
			"task"); status != 0 {
			t.Fatal(errs)
		}
		r = p.outputs()[0]
		if out := r.Get("output").Str; !strings.Contains(out, "Host known") ||
			!strings.Contains(out, "token came") || !limitsProcesses(r, uid, 200) ||
			p.names("inbox") != "ab" || p.names("outbox") != "ab" {
			t.Errorf("uid %d, let in: %s %s %s", uid, out, p.names("inbox"), p.names("outbox"))
		}
		p.run("ua", "--profile", "read-only", "task")
		if r := p.outputs()[0]; r.Get("status").Str != "denied" {
			t.Errorf("uid %d, at most read-only: %s", uid, r)
		}
	}
}

// names is the names of the files in a folder of the home, one after the other.
func (p *place) names(folder string) (names string) {
	entries, _ := os.ReadDir(filepath.Join(p.home, folder))
	for _, e := range entries {
		names += e.Name()
	}
	return names
}

// limitsProcesses reports whether a command saw its limit. Root's is one of the namespace, of
// at least 301; without one, root is counted by ua-exec (its TestPidsMax). A user's counts
// what else they run, which is added by default, and at tier 2.
func limitsProcesses(r gjson.Result, uid, limit int) bool {
	var own, all int
	_, line, _ := strings.Cut(r.Get("output").Str, "limit ")
	if n, _ := fmt.Sscanf(line, "%d %d of processes", &own, &all); n != 2 {
		return false
	}
	tier := r.Get("tier").Int()
	if uid == 0 {
		return tier < 3 || all == 300+limit // the numbers that the kernel begins again at
	}
	return own == limit || own > limit && own < limit+4096 && (tier == 2 || limit == 4096)
}
