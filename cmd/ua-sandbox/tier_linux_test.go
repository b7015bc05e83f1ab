package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/initprocess"
)

func refusedLayer(step string, err error) *initprocess.Refused {
	return &initprocess.Refused{Step: step, Err: err}
}

func TestBelow(t *testing.T) {
	for _, c := range []struct {
		tier   int
		step   string
		strict bool
		want   int
	}{
		{4, "namespaces", false, 3}, {4, "proc", true, 3}, {4, "mounts", false, 2}, {4, "lo", false, 2},
		{4, "mounts", true, 0},
		{3, "namespaces", false, 2}, {3, "namespaces", true, 0}, {2, "locks", false, 0},
		{4, "exec", false, 0}, {2, "namespaces", false, 0},
	} {
		if got := below(c.tier, refusedLayer(c.step, unix.EPERM), c.strict); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
		if mend(refusedLayer(c.step, unix.EPERM)) == "" {
			t.Errorf("%s: no mend", c.step)
		}
	}
}

// What another command can bring about leads to no lower tier.
func TestBelowReplaced(t *testing.T) {
	for _, err := range []error{unix.ELOOP, unix.ENOTDIR, unix.ESTALE} {
		for _, step := range []string{"mounts", "view"} {
			if got := below(4, refusedLayer(step, fmt.Errorf("x: %w", err)), false); got != 0 {
				t.Errorf("%s %v: %d", step, err, got)
			}
		}
	}
}

// TestBelowUsedUp: nor does what another program of the user's can use up.
func TestBelowUsedUp(t *testing.T) {
	for _, err := range []error{unix.EMFILE, unix.ENFILE, unix.ETOOMANYREFS, unix.EAGAIN, unix.ENOMEM,
		unix.ENOSPC} {
		for _, step := range []string{"namespaces", "proc", "mounts", "view", "lo"} {
			got, want := below(4, refusedLayer(step, fmt.Errorf("x: %w", err)), false), 0
			if step == "namespaces" && err == unix.ENOSPC {
				want = 3 // what the system's settings refuse
			}
			if got != want {
				t.Errorf("%s %v: %d", step, err, got)
			}
		}
	}
}

// What lies beside the sockets of the outside is out of reach at each tier: pipes by
// which programs talk, tokens of a session.
func TestRuntimeFolder(t *testing.T) {
	dir, work := t.TempDir(), t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	shell(t, dir, "mkfifo go; echo TOKEN >auth.json")
	for _, tier := range tiers(t) {
		got := output(t, work, "--quiet", "--tier", tier, "--", "sh", "-c",
			`cat "$0/auth.json" 2>/dev/null; timeout 1 sh -c 'exec <"$0/go"' "$0" 2>/dev/null
			echo $?; echo x >f && cat f`,
			dir)
		if !strings.HasSuffix(got, "\nx") && got != "x" || strings.Contains(got, "TOKEN") ||
			strings.HasPrefix(got, "124") {
			t.Errorf("tier %s: %s", tier, got)
		}
	}
	// A session without such a folder may have the one of the work in its place.
	t.Setenv("XDG_RUNTIME_DIR", filepath.Dir(work))
	if got := output(t, work, "--quiet", "--tier", "2", "--", "sh", "-c",
		"echo y >f && cat f"); got != "y" {
		t.Errorf("%s", got)
	}
}
