package judgement

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestManual holds that ua-policy(5) prints the table by which acts are judged, whole.
func TestManual(t *testing.T) {
	page, err := os.ReadFile("../../../../man/ua-policy.5")
	if err != nil {
		t.Fatal(err)
	}
	_, printed, _ := strings.Cut(string(page), ".It Sy effect Ta Sy level Ta Sy held by\n")
	printed, _, _ = strings.Cut(printed, ".El\n")
	var want strings.Builder
	for _, row := range Rows() {
		fmt.Fprintf(&want, ".It %s Ta %s Ta %s\n", row, row.Level, row.HeldBy)
	}
	if printed != want.String() {
		t.Errorf("ua-policy(5) prints\n%sand the table is\n%s", printed, &want)
	}
}
