package scripttest

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// NeedTier skips a test that needs this tier of the sandbox if the tier does not work
// here.
func NeedTier(t testing.TB, tier string) {
	t.Helper()
	if out, err := sandbox(t, "--tier", tier, "--", "true").CombinedOutput(); err != nil {
		Skip(t, Refused, "tier %s: %s", tier, out)
	}
}

// NeedProcesses skips a test that looks at processes of a sandbox, or from one at those
// above it, if /proc does not show them. With hidepid, /proc hides processes that may not
// be traced, and that of another namespace has other numbers.
func NeedProcesses(t testing.TB) {
	t.Helper()
	if out, err := sandbox(t, "--", "sh", "-c", "read -r pid rest </proc/self/stat && "+
		"test $pid = $$ && test -e /proc/$PPID/stat").CombinedOutput(); err != nil {
		Skip(t, Refused, "/proc hides processes: %v: %s", err, out)
	}
}

// sandbox returns a command in ua-sandbox with the options.
func sandbox(t testing.TB, args ...string) *exec.Cmd {
	return exec.Command(filepath.Join(Bin(t), "ua-sandbox"),
		append([]string{"--quiet"}, args...)...)
}
