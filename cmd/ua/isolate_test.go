package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// repository makes the working folder a repository with one commit.
func (p *place) repository() {
	p.t.Helper()
	scripttest.Need(p.t, "git")
	p.write(filepath.Join(p.home, ".gitconfig"),
		"[user]\nname = A\nemail = a@example.org\n[init]\ndefaultBranch = main\n")
	p.write("file", "one\n")
	p.write(".gitignore", "*.jsonl\n")
	p.git("init", "-q")
	p.git("add", ".")
	p.git("commit", "-qm", "first")
}

func (p *place) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = p.cwd, p.env
	if p.uid != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(p.uid),
			Gid: uint32(p.uid)}}
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// isolation is the last event about isolation of the newest run.
func (p *place) isolation() gjson.Result {
	out, _, _ := p.run("ua-journal", "grep", "--type", "isolation", "last")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return gjson.Parse(lines[len(lines)-1])
}

// TestWorktree lets commands write and commit in the work tree and, whatever way
// they go, not in the checkout.
func TestWorktree(t *testing.T) {
	for _, uid := range users() {
		p := newPlace(t, uid)
		p.repository()
		p.env = append(p.env, "UA_MODEL=replay:"+filepath.Join(p.cwd, "main.jsonl"))
		escapes := []string{"echo two > " + p.cwd + "/file", "cd " + p.cwd + " && echo two > made",
			"git -C " + p.cwd + " checkout -q -b other",
			"git -C " + p.cwd + " -c user.name=x commit -q --allow-empty -m evil",
			"echo x > " + p.cwd + "/.git/refs/heads/main; git update-ref refs/heads/main HEAD~0 0000; " +
				"git branch -f main HEAD; rm -rf " + p.cwd + "/.git/refs/heads/main; ln -s /tmp " + p.cwd +
				"/link",
			"for o in $(find " + p.cwd + "/.git/objects -type f); do chmod u+w $o; echo x >$o; done"}
		p.recording("main.jsonl", "done", append(escapes,
			"echo mine >> file; git add file && git commit -qm mine && git log --oneline | wc -l; pwd")...)
		_, errs, _ := p.run("ua", "--isolate", "worktree", "task")
		tree := p.isolation()
		if tree.Get("state").Str != "worktree_kept" || tree.Get("got").Str != "worktree" ||
			!strings.Contains(errs, "changes are on branch ua/") {
			t.Fatalf("uid %d: %s %s %s", uid, tree, errs, p.outputs())
		}
		path, branch := tree.Get("path").Str, tree.Get("branch").Str
		if !strings.HasPrefix(path, filepath.Join(p.home, ".cache/ua/worktrees/")) ||
			!strings.HasSuffix(branch, "-agent-1") {
			t.Errorf("uid %d: %s on %s", uid, path, branch)
		}
		last := p.outputs()[len(escapes)]
		if out := last.Get("output").Str; last.Get("exit_code").Int() != 0 ||
			!strings.Contains(out, "\n2\n") || !strings.Contains(out, path) {
			t.Errorf("uid %d: the agent's own work: %s", uid, last)
		}
		if kept, _ := os.ReadFile(filepath.Join(p.cwd, "file")); string(kept) != "one\n" ||
			p.git("status", "--porcelain") != "" || p.git("branch", "--show-current") != "main" ||
			p.git("rev-list", "--count", "main") != "1" {
			t.Errorf("uid %d: the checkout was changed: %s %s\n%s", uid, kept, p.git("status"), p.outputs())
		}
		if bad := p.git("fsck", "--no-dangling"); bad != "" {
			t.Errorf("uid %d: objects: %s", uid, bad)
		}
		if got := p.git("show", branch+":file"); got != "one\nmine" {
			t.Errorf("uid %d: the branch has %q", uid, got)
		}
	}
}

// TestWorktreeRemoved leaves nothing of a work tree in which nothing was changed.
func TestWorktreeRemoved(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.repository()
	p.env = append(p.env, "UA_MODEL=replay:"+filepath.Join(p.cwd, "main.jsonl"))
	p.recording("main.jsonl", "done", "cat file")
	if _, errs, status := p.run("ua", "--isolate", "worktree", "task"); status != 0 {
		t.Fatal(errs)
	}
	if e := p.isolation(); e.Get("state").Str != "worktree_removed" {
		t.Errorf("%s", e)
	}
	left, _ := filepath.Glob(filepath.Join(p.home, ".cache/ua/worktrees/*/*"))
	if len(left) > 0 || p.git("branch", "--list", "ua/*") != "" ||
		strings.Count(p.git("worktree", "list"), "\n") != 0 {
		t.Errorf("left: %v, %s", left, p.git("worktree", "list"))
	}
}

// TestWorktreeRefused says which check failed, and works in place.
func TestWorktreeRefused(t *testing.T) {
	for why, prepare := range map[string]func(p *place){
		"not_a_repo":    func(p *place) {},
		"dirty_tree":    func(p *place) { p.repository(); p.write("new", "x\n") },
		"create_failed": func(p *place) { p.git("init", "-q"); p.write(".git/info/exclude", "*\n") },
		"no_git": func(p *place) {
			p.repository()
			bare := filepath.Join(p.home, "bin")
			for _, name := range []string{"bash", "sh", "cat", "true"} {
				path, _ := exec.LookPath(name)
				os.MkdirAll(bare, 0o755)
				os.Symlink(path, filepath.Join(bare, name))
			}
			p.env = append(p.env, "PATH="+p.bin+":"+bare)
		},
	} {
		p := newPlace(t, os.Getuid())
		p.recording("main.jsonl", "done", "true")
		prepare(p)
		_, errs, status := p.run("ua", "--isolate", "worktree", "task")
		if e := p.isolation(); status != 0 || e.Get("why").Str != why ||
			e.Get("state").Str != "in_process" || e.Get("asked").Str != "worktree" ||
			!strings.Contains(errs, why) {
			t.Errorf("%s: status %d, %s, %s", why, status, e, errs)
		}
	}
}

// TestCollect removes old work trees, and none in which there is something to lose.
func TestCollect(t *testing.T) {
	p := newPlace(t, os.Getuid())
	p.repository()
	p.env = append(p.env, "UA_MODEL=replay:"+filepath.Join(p.cwd, "main.jsonl"))
	paths := map[string]string{}
	for name, command := range map[string]string{"committed": "echo x > new; git add new; git " +
		"commit -qm x", "changed": "echo x > new",
		"young": "echo x > new; git add new; git commit -qm y"} {
		p.recording("main.jsonl", "done", command)
		p.run("ua", "--isolate", "worktree", "task")
		paths[name] = p.isolation().Get("path").Str
		if name != "young" {
			long := time.Now().Add(-8 * 24 * time.Hour)
			os.Chtimes(paths[name], long, long)
		}
	}
	out, errs, status := p.run("ua", "gc")
	if status != 0 || strings.TrimSpace(out) != "removed "+paths["committed"] ||
		!strings.Contains(errs, paths["changed"]+": it has uncommitted changes") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
	if out, _, _ := p.run("ua", "gc",
		"--force"); strings.TrimSpace(out) != "removed "+paths["changed"] {
		t.Errorf("--force: %s", out)
	}
	if _, err := os.Stat(paths["young"]); err != nil {
		t.Error(err)
	}
}
