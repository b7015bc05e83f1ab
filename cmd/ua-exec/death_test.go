package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ua/internal/test/scripttest"
)

// worker is the ua-exec under the supervisor that was started, or that one itself.
func worker(pid int) int {
	if pids := under(pid, "/ua-exec\x00"); len(pids) > 0 {
		return pids[0]
	}
	return pid
}

// TestSignals ends ua-exec while a command runs: the result is written, the
// status is that of the signal, nothing is left.
func TestSignals(t *testing.T) {
	for i, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		command, word := scatter(10 + i)
		l := start(t, "--unconfined")
		l.send(task{command: "echo begun; " + command}, task{command: "echo not reached"})
		until(t, "it runs", func() bool { return len(alive(word)) >= 5 })
		l.cmd.Process.Signal(sig)
		r := l.next("tool_result")
		if r.Get("status").Str != "interrupted" || !strings.HasPrefix(text(r), "begun") {
			t.Errorf("%v: %s", sig, r.Raw)
		}
		if r = l.next("tool_result"); r.Get("status").Str != "refused" ||
			!strings.Contains(text(r), "interrupted") {
			t.Errorf("%v: the next call: %s", sig, r.Raw)
		}
		l.next("none")
		l.cmd.Wait()
		if code := l.cmd.ProcessState.ExitCode(); code != 128+int(sig) {
			t.Errorf("%v: exit status %d", sig, code)
		}
		if pids := alive(word); pids != nil {
			t.Errorf("%v: alive: %v", sig, pids)
		}
	}
}

// TestTraced has a command be traced by its parent, which stops it at the next
// signal: it has not ended then, and what ends it is told.
func TestTraced(t *testing.T) {
	scripttest.Need(t, "python3")
	r := results(t, unconfined, task{command: `exec python3 -c '
import ctypes, os, time
me = os.getpid()
if os.fork() == 0:
    while open("/proc/%d/stat" % me).read().rsplit(")", 1)[1].split()[0] != "t":
        time.sleep(.01)
    os.kill(me, 9)
    os._exit(0)
ctypes.CDLL(None).ptrace(0, 0, 0, 0)
os.kill(me, 10)'`})[0]
	if r.Get("exit_code").Int() != 137 || r.Get("signal").Str == "" {
		t.Error(r.Raw)
	}
}

// TestLastWords has an earlier stage say more at the end: it is passed on, and
// its calls are not run.
func TestLastWords(t *testing.T) {
	s := sleeper(41)
	l := start(t, "--unconfined")
	l.send(task{command: s}, task{command: "touch ran"})
	io.WriteString(l.stdin, `{"type":"response","stop_reason":"interrupted"}`+"\n")
	l.stdin.Close()
	until(t, "it runs", func() bool { return len(alive(s)) > 0 })
	l.cmd.Process.Signal(syscall.SIGINT)
	if r := l.next("tool_result"); r.Get("status").Str != "interrupted" {
		t.Error(r.Raw)
	}
	if r := l.next("tool_result"); r.Get("status").Str != "refused" {
		t.Error(r.Raw)
	}
	if r := l.next("response"); r.Get("stop_reason").Str != "interrupted" {
		t.Error(r.Raw)
	}
	if _, err := os.Stat(filepath.Join(l.cmd.Dir, "ran")); err == nil {
		t.Error("it ran")
	}
}

// TestNobodyReads ends a ua-exec that can't write, since its reader has stopped.
func TestNobodyReads(t *testing.T) {
	s := sleeper(40)
	l := start(t, "--unconfined")
	l.send(task{command: "seq 1000000 | head -c 30000"}, task{command: "seq 1000000 | head -c 30000"},
		task{command: "seq 1000000 | head -c 30000"},
		task{command: "seq 1000000 | head -c 30000"}, task{command: s})
	until(t, "it runs", func() bool { return len(alive(s)) > 0 })
	l.cmd.Process.Signal(syscall.SIGTERM)
	l.cmd.Wait()
	if alive(s) != nil {
		t.Error("it still runs")
	}
}

// TestKilled kills ua-exec, its supervisor, or both, with no warning.
func TestKilled(t *testing.T) {
	for i, which := range []string{"supervisor", "worker", "reader"} {
		command, word := scatter(20 + i)
		l := start(t, "--unconfined")
		l.send(task{command: command})
		until(t, "it runs", func() bool { return len(alive(word)) >= 5 })
		switch which {
		case "supervisor":
			l.cmd.Process.Kill()
		case "worker":
			syscall.Kill(worker(l.cmd.Process.Pid), syscall.SIGKILL)
		case "reader":
			l.stdout.Close()
		}
		until(t, "nothing is left after the end of "+which, func() bool { return alive(word) == nil })
		l.cmd.Wait()
	}
}
