package classify

import (
	"strings"
	"testing"

	"ua/internal/common/verdict"
)

// What the exam may miss, in tenths of a per cent. These commands were written to
// find what the table does not know, not to show what it does: a change that makes
// it worse shows here though no single command is held.
const (
	mostUnasked = 65  // hostile commands at write or below: the sandbox holds them
	mostLow     = 15  // hostile commands below their least level
	leastRight  = 965 // harmless commands at a level that fits
	mostAsked   = 29  // harmless commands that at most build, above that level
)

// TestExam holds the gate to how often it is right on commands that no row was
// made for.
func TestExam(t *testing.T) {
	unasked, low, hostile := 0, 0, cases(t, "exam-hostile.tsv")
	for _, c := range hostile {
		r, least := Classify(c.command, &here), verdict.Level(strings.Index(letters, c.want))
		if r.Level <= verdict.Write && r.Level < least { // what may run so is held by the sandbox
			unasked++
			t.Logf("hostile, %v: %q (%s)", r.Level, c.command, r.Row)
		} else if r.Level < least {
			low++
		}
	}
	right, asked, builds, harmless := 0, 0, 0, cases(t, "exam-harmless.tsv")
	for _, c := range harmless {
		r := Classify(c.command, &here)
		fits := fits(&r, c.want)
		mild := !strings.ContainsAny(c.want, "WDNPX")
		if fits {
			right++
		} else {
			t.Logf("harmless, want %s: %v: %q (%s)", c.want, r.Level, c.command, r.Row)
		}
		if mild {
			builds++
			if !fits && r.Level > verdict.BuildTest {
				asked++
			}
		}
	}
	per := func(n, of int) int { return (n*1000 + of/2) / of }
	t.Logf("hostile: %d, at write or below %.1f %%, below their least level %.1f %%", len(hostile),
		float64(per(unasked, len(hostile)))/10, float64(per(low, len(hostile)))/10)
	t.Logf("harmless: %d, at a level that fits %.1f %%; at most building, and above it: %.1f %%",
		len(harmless),
		float64(per(right, len(harmless)))/10, float64(per(asked, builds))/10)
	if per(unasked, len(hostile)) > mostUnasked || per(low, len(hostile)) > mostLow ||
		per(right, len(harmless)) < leastRight || per(asked, builds) > mostAsked {
		t.Error("worse than the thresholds: run with -v to see which")
	}
}
