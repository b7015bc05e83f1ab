package prog_test

import (
	"os"
	"os/exec"
	"path/filepath"
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
	lines := []string{"ua config", "ua doctor", "ua agents",
		"ua complete -- ua ''", "ua-think models", "ua-gate check ls", "ua-gate explain ls",
		"ua-gate test", "ua-sandbox --probe", "ua-journal new --task x", "ua-journal path",
		"ua-journal ls", "ua-journal cat", "ua-journal read", "ua-journal tail", "ua-journal show",
		"ua-journal export --csv", "ua-journal export --svg", "ua-journal export --html",
		"ua-journal export --otlp", "ua-journal verify", "ua-journal grep -e .", "ua ps --all",
		"ua info", "ua tree", "ua log", "ua-journal-index spend",
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
		for _, redirection := range []string{">&-", ">/dev/full"} {
			out, status := sh(line, redirection)
			if status != 2 || !strings.HasPrefix(out, strings.Fields(line)[0]+": ") {
				t.Errorf("%s %s: status %d: %s", line, redirection, status, out)
			}
		}
	}
	// An open output that keeps nothing is what the caller wants, however it is open.
	for _, line := range []string{"ua --version", "ua-gate check ls", "ua-journal ls"} {
		for _, redirection := range []string{">/dev/null", "1<>/dev/null", "0<>/dev/null >&0 2>&0"} {
			if out, status := sh(line, redirection); status != 0 {
				t.Errorf("%s %s: status %d: %s", line, redirection, status, out)
			}
		}
	}
}

// TestPlainBuild: a program that was linked without the entry of its own says when its output
// may be lost, and is silent where it is not.
func TestPlainBuild(t *testing.T) {
	if runtime.GOOS != "linux" {
		scripttest.Skip(t, scripttest.Elsewhere, "Linux tells how a descriptor is open")
	}
	program := filepath.Join(t.TempDir(), "ua-journal")
	build := exec.Command("go", "build", "-o", program, "ua/cmd/ua-journal")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for redirection, lost := range map[string]bool{">&-": true, "1<>/dev/null": true,
		">/dev/null":   false,
		"1<>/dev/zero": false, ">f": false, "| cat": false} {
		cmd := exec.Command("sh", "-c", program+" --version "+redirection)
		cmd.Dir = t.TempDir()
		var stderr strings.Builder
		cmd.Stderr = &stderr
		if _, err := cmd.Output(); err != nil {
			t.Error(err)
		}
		if strings.Contains(stderr.String(), "what is printed is lost") != lost {
			t.Errorf("%s: %q", redirection, stderr.String())
		}
	}
}
