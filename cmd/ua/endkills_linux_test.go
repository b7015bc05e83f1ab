package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ua/internal/common/procfs"
	"ua/internal/test/scripttest"
)

// What a run's command does before its end: it works, plants what git would run, in the user's
// repository and in a new one, and waits for a file. evil tells that something ran it.
const (
	endRepository = `set -e
git config --global user.name A; git config --global user.email a@example.org
git config --global init.defaultBranch main; printf 'go\nup\nnew\n' >.git-ignored
git init -q; mv .git-ignored .git/info/exclude; for i in 1 2 3; do echo $i >f$i; done
printf '#!/bin/sh\ntouch "$HOME/evil-ran"\n' >evil; chmod +x evil
git add .; git commit -q -m mine; git tag mine; git branch side`
	endPlants = `git config user.name B; git commit -q --allow-empty -m its; git branch its
git config core.fsmonitor "$PWD/evil"; cp evil .git/hooks/post-commit
cp evil .git/hooks/reference-transaction; git config alias.log "!$PWD/evil"
git init -q new; git -C new config core.fsmonitor "$PWD/evil"
cp evil new/.git/hooks/post-index-change
chmod -R +x .git/hooks new/.git/hooks; touch up; while ! test -e go; do sleep 0.05; done
echo more >f1; git commit -q -am "at the end"; git tag -d mine >/dev/null`
	endWork = `set -e; rm -f .git/*.lock .git/refs/*/*.lock .git/logs/*.lock
git fsck --no-dangling; git status >/dev/null; git add -A f1 f2
git commit -q --allow-empty -m after
git checkout -q side; git checkout -q main; git log --format=%s >/dev/null
git log --format=%s | tail -n 1`
)

// ends are the processes of a run that are killed at its end, with their calls.
var ends = []struct{ name, calls string }{
	{"ua-sandbox", "openat2 renameat renameat2 unlinkat mkdirat write close fchmod pread64 read " +
		"getdents64 exit_group"},
	{"ua-sandbox: init", "close sendmsg sendto exit_group"},
	{"ua", "write close kill unlinkat openat renameat exit_group"},
	{"ua-exec", "write close sendto exit_group"},
}

// TestKilledAtTheEnd kills one process of a plain run before any call of its end, and now and
// then all others at that moment. Nothing that the command has planted runs in the user's
// repository, no commit of his is lost, the next run there looks at what is new, and one
// elsewhere does not. UA_TEST_ALL=1 takes every call.
func TestKilledAtTheEnd(t *testing.T) {
	scripttest.Need(t, "git")
	scripttest.NeedTier(t, "4")
	strace, err := exec.LookPath("strace")
	if err != nil {
		scripttest.Skip(t, scripttest.Elsewhere, "strace is not installed; TestKill runs")
	}
	for _, uid := range users() {
		if t.Failed() {
			return
		}
		p := newPlace(t, uid)
		e := &endKill{place: p, strace: strace}
		if out := p.shell(p.cwd, endRepository); out != "" {
			t.Fatal(out)
		}
		e.first = p.shell(p.cwd, "git rev-parse HEAD")
		e.shell(p.home, "cp -a "+p.cwd+" kept; mkdir other")
		for _, end := range ends {
			if os.Geteuid() != 0 && (end.name == "ua" || strings.HasSuffix(end.name, ": init")) {
				continue // which nobody but root may trace
			}
			calls := strings.Fields(end.calls)
			if os.Getenv("UA_TEST_ALL") == "" {
				call := calls[rand.IntN(len(calls))]
				e.round(end.name, call, 1+rand.IntN(3), rand.IntN(2) == 0)
				continue
			}
			for _, call := range calls {
				for n := 1; e.round(end.name, call, n, n%2 == 0) && !t.Failed(); n++ {
				}
			}
		}
		t.Logf("uid %d: %d rounds, %d killed", uid, e.rounds, e.killed)
	}
}

// An endKill is a place in which runs are killed at their end.
type endKill struct {
	*place
	strace, first  string
	rounds, killed int
}

// round kills the process of a run before the nth call of a name that one of its threads makes,
// and perhaps all others then. It reports whether there was such a call.
func (e *endKill) round(name, call string, n int, all bool) bool {
	t := e.t
	what := fmt.Sprintf("uid %d, %s killed before %s %d, all %v", e.uid, name, call, n, all)
	e.rounds++
	e.shell(e.home, "rm -rf "+e.cwd+"/* "+e.cwd+"/.git; cp -a kept/. "+e.cwd+
		"; rm -rf .local/state/ua evil-ran")
	e.recording("main.jsonl", "done", "sh do")
	e.write("do", endPlants)
	cmd := e.command("ua", "task")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	notes := filepath.Join(e.home, ".local/state/ua/sandboxes/[^.]*")
	scripttest.Await(t, "the command, and the sandbox's note", func() bool {
		_, err := os.Stat(filepath.Join(e.cwd, "up"))
		found, _ := filepath.Glob(notes)
		return err == nil && len(found) > 0
	})
	tree := descendants(cmd.Process.Pid)
	i := slices.IndexFunc(tree, func(p process) bool { return e.is(p, name, cmd.Process.Pid) })
	if i < 0 {
		t.Fatalf("%s: no such process in %v", what, tree)
	}
	log := filepath.Join(t.TempDir(), "strace")
	tracer := exec.Command(e.strace, "-f", "-o", log, "-e", "trace="+call, "-e",
		fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n), "-p", strconv.Itoa(tree[i].pid))
	var traced bytes.Buffer
	tracer.Stderr = &traced
	if err := tracer.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { tracer.Wait(); close(ended) }()
	scripttest.Await(t, "strace", func() bool {
		select {
		case <-ended: // at once, by a call that was under way
			if !strings.Contains(traced.String(), " attached") {
				t.Fatalf("%s: strace: %s", what, &traced)
			}
			return true
		default:
		}
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", tree[i].pid))
		return bytes.Contains(text, fmt.Appendf(nil, "TracerPid:\t%d\n", tracer.Process.Pid))
	})
	e.write("go", "")
	<-ended
	text, _ := os.ReadFile(log)
	killed := bytes.Contains(text, []byte("+++ killed by SIGKILL +++")) &&
		!bytes.Contains(text, []byte("+++ exited with"))
	if killed && all {
		for _, p := range alive(tree) {
			syscall.Kill(p.pid, syscall.SIGKILL)
		}
	}
	cmd.Wait()
	scripttest.Await(t, "the end of all", func() bool { return len(alive(tree)) == 0 })
	if killed {
		e.killed++
	}
	e.check(what, said.String(), notes)
	return killed
}

// is reports whether a process is the one of that name: the sandbox around ua-exec is a child
// of ua, and its first process one of that.
func (e *endKill) is(p process, name string, ua int) bool {
	base, inside := strings.CutSuffix(name, ": init")
	s, _ := procfs.Read(p.pid)
	parent, _ := procfs.Read(s.Parent)
	return s.Name == base && (base != "ua-sandbox" || inside == (parent.Name == base)) &&
		(base != "ua" || p.pid == ua)
}

// check looks at what a run has left, as the user's next commands do.
func (e *endKill) check(what, said, notes string) {
	t := e.t
	owed, _ := filepath.Glob(notes)
	other := e.command("ua", "task")
	other.Dir = filepath.Join(e.home, "other")
	e.recording(filepath.Join(e.home, "other/main.jsonl"), "done", "true")
	if out, err := other.CombinedOutput(); err != nil {
		t.Errorf("%s: elsewhere: %v: %s", what, err, out)
	}
	if still, _ := filepath.Glob(notes); len(still) != len(owed) {
		t.Errorf("%s: a run elsewhere has taken the look: %v, %v", what, owed, still)
	}
	oldest := e.shell(e.cwd, endWork)
	if oldest != "mine\n" {
		t.Errorf("%s: the oldest commit is %q: %s", what, oldest, said)
	}
	e.shell(e.cwd, "git merge-base --is-ancestor "+strings.TrimSpace(e.first)+" HEAD")
	e.recording("main.jsonl", "done", "true")
	if _, errs, status := e.run("ua", "task"); status != 0 {
		t.Errorf("%s: the next run: status %d: %s", what, status, errs)
	}
	e.shell(e.cwd, "test ! -e new/.git/HEAD || git -C new status >/dev/null")
	if _, err := os.Stat(filepath.Join(e.home, "evil-ran")); err == nil {
		t.Errorf("%s: what the command has planted ran: %s", what, said)
	}
}
