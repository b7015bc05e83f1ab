package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestSupervisorVariable starts ua-exec with the variable of its supervisor set by somebody
// else: one supervisor does the work, and not one below the other without an end. A sandbox
// bounds those.
func TestSupervisorVariable(t *testing.T) {
	scripttest.NeedTier(t, "4")
	bin := scripttest.Bin(t)
	in := filepath.Join(t.TempDir(), "in.jsonl")
	events := lines(task{command: "echo runs; ps -e -o comm= | grep -c ua-exec"})
	if err := os.WriteFile(in, []byte(events), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(bin, "ua-sandbox"), "--quiet", "--tier", "4",
		"--pids", "300", "--read", in, "--env", "PATH="+bin+":"+os.Getenv("PATH"), "--", "sh", "-c",
		`unset UA_SANDBOX; UA_EXEC_SUPERVISOR=0 exec ua-exec --unconfined <"$0"`, in)
	cmd.Dir = outside(t)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `\nruns\n2\n`) {
		t.Errorf("%v: %.2000s", err, out)
	}
}
