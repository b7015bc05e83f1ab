package scripttest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// NeedTries skips the test if ua-try can make no view, as where this user may not make
// namespaces.
func NeedTries(t testing.TB) {
	t.Helper()
	if why := TriesRefused(t); why != "" {
		Skip(t, Refused, "%s", why)
	}
}

// TriesRefused returns what ua-try says if it can run no command, "" if it can.
func TriesRefused(t testing.TB) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(Bin(t), "ua-try"), "--quiet", "--", "true")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 126 {
		return ""
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return first
}
