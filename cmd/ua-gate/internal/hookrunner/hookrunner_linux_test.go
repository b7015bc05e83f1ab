package hookrunner

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ua/internal/test/scripttest"
)

// The processes of a hook end with the gate, however it ends.
func TestHookEndsWithGate(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGKILL} {
		dir := t.TempDir()
		policy, pid := filepath.Join(dir, "policy.toml"), filepath.Join(dir, "pid")
		line := "echo $$ >" + pid + ".new; mv " + pid + ".new " + pid + "; exec sleep 1000"
		os.WriteFile(policy, []byte("[[hooks.pre_exec]]\n"+
			"command = [\"sh\", \"-c\", \""+line+"\"]\ntimeout = \"900s\"\n"), 0o600)
		cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-gate"), "check", "--policy", policy,
			"ls")
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME=")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var hook []byte
		for hook == nil {
			time.Sleep(5 * time.Millisecond)
			hook, _ = os.ReadFile(pid)
		}
		cmd.Process.Signal(sig)
		err := cmd.Wait()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() ||
			status.Signal() != sig {
			t.Errorf("%v: ended with %v", sig, err)
		}
		for gone := false; !gone; {
			state, err := os.ReadFile("/proc/" + strings.TrimSpace(string(hook)) + "/stat")
			gone = err != nil || strings.Contains(string(state), ") Z ")
			time.Sleep(5 * time.Millisecond)
		}
	}
}
