package runs

import (
	"strings"
	"testing"

	"ua/internal/common/run"
)

// TestNamed: "by its ID, by the start or the last part of an ID that only one run has".
func TestNamed(t *testing.T) {
	var all []run.Run
	for _, id := range []string{
		"20260102-030405-abcdef", "20260102-030405-abcfff", "20260202-030405-abcdef", "own", "own-2",
	} {
		all = append(all, run.Run{ID: id})
	}
	for name, want := range map[string]int{
		"20260102-030405-abcdef": 1, "20260102": 2, "202601": 2, "20260202": 1,
		"abcdef": 2, "abcfff": 1, "fff": 0, "030405-abcfff": 1,
		"own": 1, "ow": 2, "2": 4, "": 0, "-": 0, "*": 0,
		"20260102-030405-abcdefg": 0, "20260102-030405-abcdef ": 0,
	} {
		found := named(all, name)
		r, err := only(found, name)
		if len(found) != want || (err == nil) != (want == 1) || want == 1 && r != found[0] {
			t.Errorf("%q: %v, %v", name, found, err)
		}
		if err != nil && !strings.Contains(err.Error(), strings.TrimSpace(name)) {
			t.Errorf("%q: %v does not name it", name, err)
		}
	}
}
