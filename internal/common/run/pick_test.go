package run

import (
	"fmt"
	"strings"
	"testing"
)

// TestPick: "by its ID, by the start or the last part of an ID that only one run has".
func TestPick(t *testing.T) {
	all := []string{"20260102-030405-abcdef", "20260102-030405-abcfff", "20260202-030405-abcdef",
		"own", "own-2"}
	for name, want := range map[string]int{
		"20260102-030405-abcdef": 1, "20260102": 2, "202601": 2, "20260202": 1,
		"abcdef": 2, "abcfff": 1, "fff": 0, "030405-abcfff": 1,
		"own": 1, "ow": 2, "2": 4, "": 0, "-": 0, "*": 0,
		"20260102-030405-abcdefg": 0, "20260102-030405-abcdef ": 0,
	} {
		id, err := Pick(all, func(id string) []string { return []string{id} }, name, "run", "runs", "ls")
		says := "no such run"
		if want > 1 {
			says = fmt.Sprintf("matches %d runs", want)
		}
		if want == 1 && (err != nil || !strings.Contains(id, name)) ||
			want != 1 && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%q: %q, %v", name, id, err)
		}
		if err != nil && !strings.Contains(err.Error(), strings.TrimSpace(name)) {
			t.Errorf("%q: %v does not name it", name, err)
		}
	}
}
