package prog_test

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestLostOutput: what can't be printed is trouble, whatever was to be printed.
func TestLostOutput(t *testing.T) {
	if runtime.GOOS != "linux" {
		scripttest.Skip(t, scripttest.Elsewhere, "no /dev/full here")
	}
	bin, home := scripttest.Bin(t), t.TempDir()
	lines := []string{"ua config", "ua-doctor", "ua agents",
		"ua complete -- ua ''", "ua-think models", "ua-gate check ls", "ua-gate explain ls",
		"ua-gate test", "ua-sandbox --probe", "ua-journal new --task x", "ua-journal path",
		"ua-journal ls", "ua-journal cat", "ua-journal read", "ua-journal tail", "ua-journal show",
		"ua-journal export --csv", "ua-journal export --otlp",
		"ua-journal verify", "ua-journal grep -e .", "ua ps --all",
		"ua info", "ua tree", "ua-journal-index spend",
		"ua --json --think cat x"}
	built, err := os.ReadDir(bin)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range built {
		lines = append(lines, p.Name()+" --help", p.Name()+" --version")
	}
	sh := func(line, redirection string) (string, int) {
		cmd := exec.Command("sh", "-c", line+" "+redirection)
		cmd.Env = []string{"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH")}
		cmd.Dir = t.TempDir()
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	if out, status := sh("ua-journal new --task x && ua-journal end --exit-code 0", ""); status > 1 {
		t.Fatal(out)
	}
	for _, line := range lines {
		out, status := sh(line, ">/dev/full")
		if status != 2 || !strings.HasPrefix(out, strings.Fields(line)[0]+": ") {
			t.Errorf("%s: status %d: %s", line, status, out)
		}
	}
}
