package xdg

import (
	"os"
	"path/filepath"
	"testing"
)

func TestHome(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "relative")
	for _, home := range []string{"", "relative"} {
		t.Setenv("HOME", home)
		if got := State(); !filepath.IsAbs(got) || got == "/.local/state/ua" && os.Getuid() == 0 {
			t.Errorf("HOME=%q: %s", home, got)
		}
	}
	t.Setenv("HOME", "/h")
	if got := State(); got != "/h/.local/state/ua" {
		t.Error(got)
	}
}
