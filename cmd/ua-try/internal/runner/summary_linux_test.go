package runner

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestShownAll(t *testing.T) {
	paths := strings.Split("/a /b /c /d", " ")
	if got := shownAll(paths); !slices.Equal(got, paths) {
		t.Errorf("%q", got)
	}
	got := shownAll(append(paths, "/e", "/f"))
	if len(got) != 5 || got[4] != "and 2 more" {
		t.Errorf("%q", got)
	}
	if got := shownAll([]string{"/a\n\x1b[2J"}); got[0] != `"/a\n\x1b[2J"` {
		t.Errorf("%q", got)
	}
}

func TestStatusOf(t *testing.T) {
	for status, want := range map[unix.WaitStatus]int{0: 0, 3 << 8: 3, 255 << 8: 255, 9: 137,
		15: 143} {
		if got := statusOf(status); got != want {
			t.Errorf("%#x: %d, want %d", uint32(status), got, want)
		}
	}
}
