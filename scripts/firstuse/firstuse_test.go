// Package firstuse runs scripts/first-use over the programs of this tree.
package firstuse

import (
	"os/exec"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// TestFirstUse is what somebody meets who has just installed ua.
func TestFirstUse(t *testing.T) {
	scripttest.Need(t, "bash", "setsid")
	out, err := exec.Command("../first-use", scripttest.Bin(t)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if n := strings.Count(string(out), "first-use: ok: "); n < 16 {
		t.Errorf("%d cases:\n%s", n, out)
	}
	for line := range strings.Lines(string(out)) {
		if why, ok := strings.CutPrefix(line, "first-use: SKIPPED: "); ok {
			t.Run("disk", func(t *testing.T) {
				scripttest.Skip(t, scripttest.Refused, "%s", strings.TrimSpace(why))
			})
		}
	}
}
