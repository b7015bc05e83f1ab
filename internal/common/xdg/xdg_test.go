package xdg

import (
	"os"
	"os/user"
	"testing"
)

// TestFolders: a folder is where its variable says if that is absolute, else in the home.
func TestFolders(t *testing.T) {
	t.Setenv("HOME", "/h")
	for name, c := range map[string]struct {
		folder   func() string
		fallback string
	}{
		"XDG_CONFIG_HOME": {Config, "/h/.config/ua"}, "XDG_STATE_HOME": {State, "/h/.local/state/ua"},
		"XDG_CACHE_HOME": {Cache, "/h/.cache/ua"},
	} {
		for value, want := range map[string]string{"/x": "/x/ua", "/x/": "/x/ua", "": c.fallback,
			"x":   c.fallback,
			"./x": c.fallback, "~/x": c.fallback} {
			t.Setenv(name, value)
			if got := c.folder(); got != want {
				t.Errorf("%s=%s: %s", name, value, got)
			}
		}
	}
}

// TestHome asks the user database where HOME says nothing.
func TestHome(t *testing.T) {
	want := "/"
	if u, err := user.Current(); err == nil && u.HomeDir != "" {
		want = u.HomeDir
	}
	for _, value := range []string{"", "relative"} {
		t.Setenv("HOME", value)
		if got := Home(); got != want {
			t.Errorf("HOME=%s: %s, want %s", value, got, want)
		}
	}
	os.Unsetenv("HOME")
	if got := Home(); got != want {
		t.Errorf("no HOME: %s", got)
	}
}
