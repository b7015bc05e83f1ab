package main

import (
	"fmt"
	"os/exec"
	"testing"

	"ua/internal/test/scripttest"
)

// TestForeignProc: where /proc is that of another process namespace, a call has its result and
// its end. What it leaves there may go on (ua-sandbox(1), CAVEATS).
func TestForeignProc(t *testing.T) {
	scripttest.Need(t, "unshare")
	if out, err := exec.Command("unshare", "-Urpf", "true").CombinedOutput(); err != nil {
		scripttest.Skip(t, scripttest.Refused, "%v: %s", err, out)
	}
	s := sleeper(300)
	cmd := uaExec(t)
	cmd.Path, _ = exec.LookPath("unshare")
	cmd.Args = []string{"unshare", "-Urpf", "--kill-child", "sh", "-c",
		"ua-exec 2>&1; echo; echo ended; read -r x <>wait"}
	cmd.Dir = outside(t)
	if out, err := exec.Command("mkfifo", cmd.Dir+"/wait").CombinedOutput(); err != nil {
		t.Fatalf("%s", out)
	}
	l := begin(t, cmd)
	l.send(task{command: "setsid " + s + " & " + s + " & echo hi"},
		task{command: fmt.Sprintf("setsid %s & sleep 60", s), input: `,"timeout_ms":300`})
	if r := l.next("tool_result"); text(r) == "" || r.Get("exit_code").Int() != 0 {
		t.Error(r.Raw)
	}
	if r := l.next("tool_result"); r.Get("status").Str != "timeout" {
		t.Error(r.Raw)
	}
	l.stdin.Close()
	until(t, "the end", func() bool {
		line, err := l.out.ReadString('\n')
		return line == "ended\n" || err != nil
	})
}
