package scripttest

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A Reason is why a test cannot run here.
type Reason string

// The reasons. In CI, where the variable CI is set, all but the expected ones fail the
// test: everything is installed and allowed there, so a test that does not run is a
// mistake.
const (
	Short     Reason = "short"     // go test -short
	NoData    Reason = "no data"   // a variable names no data to measure on
	Elsewhere Reason = "elsewhere" // the test of another system, user or test covers it
	Missing   Reason = "missing"   // a program is not installed
	Refused   Reason = "refused"   // the system refuses a namespace, a mount or the like
)

// expected are the reasons that may come up in CI, too.
var expected = []Reason{Short, NoData, Elsewhere}

// Skip is the only way to skip a test. The reason is added to the file that UA_TEST_SKIPS
// names, so that a run can end with a list of what it did not test.
func Skip(t testing.TB, reason Reason, format string, a ...any) {
	t.Helper()
	why := fmt.Sprintf("SKIPPED (%s): %s: %s", reason, t.Name(), strings.ReplaceAll(
		strings.TrimSpace(fmt.Sprintf(format, a...)), "\n", " "))
	if os.Getenv("CI") != "" && !slices.Contains(expected, reason) {
		t.Fatal(why)
	}
	if path := os.Getenv("UA_TEST_SKIPS"); path != "" {
		if f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666); err == nil {
			fmt.Fprintf(f, "%.300s\n", why)
			f.Close()
		}
	}
	t.Skip(why)
}

// Need skips the test if one of the programs is not installed.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			Skip(t, Missing, "%s is not installed: scripts/setup-test installs it", p)
		}
		if p == "parallel" { // moreutils has another program of that name
			out, _ := exec.Command(p, "--version").Output()
			if !strings.HasPrefix(string(out), "GNU parallel") {
				Skip(t, Missing, "the parallel on PATH is not GNU parallel: put that first")
			}
		}
	}
}
