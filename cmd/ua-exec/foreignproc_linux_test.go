package main

import (
	"fmt"
	"os/exec"
	"testing"

	"ua/internal/test/scripttest"
)

// TestForeignProc: where /proc is that of another process namespace, a call has its result and
// nothing of it is left at the end, in a sandbox of its own and in one around ua-exec.
func TestForeignProc(t *testing.T) {
	scripttest.Need(t, "unshare")
	if out, err := exec.Command("unshare", "-Urpf", "true").CombinedOutput(); err != nil {
		scripttest.Skip(t, scripttest.Refused, "%v: %s", err, out)
	}
	for i, around := range []string{"", "ua-sandbox --tier 2 --quiet -- "} {
		s := sleeper(300 + i)
		cmd := uaExec(t)
		cmd.Path, _ = exec.LookPath("unshare")
		cmd.Args = []string{"unshare", "-Urpf", "--kill-child", "sh", "-c",
			around + "ua-exec 2>&1; echo; echo ended; read -r x <>wait"}
		cmd.Dir = outside(t)
		if out, err := exec.Command("mkfifo", cmd.Dir+"/wait").CombinedOutput(); err != nil {
			t.Fatalf("%s", out)
		}
		l := begin(t, cmd)
		l.send(task{command: "setsid " + s + " & " + s + " & echo hi"},
			task{command: fmt.Sprintf("setsid %s & sleep 60", s), input: `,"timeout_ms":300`})
		if r := l.next("tool_result"); text(r) == "" || r.Get("exit_code").Int() != 0 {
			t.Errorf("%s: %s", around, r.Raw)
		}
		if r := l.next("tool_result"); r.Get("status").Str != "timeout" {
			t.Errorf("%s: %s", around, r.Raw)
		}
		l.stdin.Close()
		until(t, "the end", func() bool {
			line, err := l.out.ReadString('\n')
			return line == "ended\n" || err != nil
		})
		until(t, "the end of all", func() bool { return alive(s) == nil })
	}
}
