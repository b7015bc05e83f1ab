package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/layer"
	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/confine"
)

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
		if got := below(c.tier, &refused{c.step, unix.EPERM}, c.strict); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
		if mend(&refused{c.step, unix.EPERM}) == "" {
			t.Errorf("%s: no mend", c.step)
		}
	}
}

// What another command can bring about leads to no lower tier.
func TestBelowReplaced(t *testing.T) {
	for _, err := range []error{unix.ELOOP, unix.ENOTDIR, unix.ESTALE} {
		for _, step := range []string{"mounts", "view"} {
			if got := below(4, &refused{step, fmt.Errorf("x: %w", err)}, false); got != 0 {
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
			got, want := below(4, &refused{step, fmt.Errorf("x: %w", err)}, false), 0
			if step == "namespaces" && err == unix.ENOSPC {
				want = 3 // what the system's settings refuse
			}
			if got != want {
				t.Errorf("%s %v: %d", step, err, got)
			}
		}
	}
}

// Mounts come parents first; what lies in a hidden place is made there.
func TestMounts(t *testing.T) {
	p := &policy.Policy{Dir: "/tmp/w", Home: "/home/u",
		Write: []string{"/tmp/w", "/home/u/.local/state/ua/runs/r"}, Read: []string{"/usr"},
		Masks: []policy.Mask{{Path: "/home/u/.local/state/ua", Dir: true},
			{Path: "/tmp/w/sock", Socket: true}, {Path: "/home/u/.ssh", Dir: true}},
		Protect: []string{"/tmp/w/.git/hooks"}}
	list := mounts(p, []string{"/tmp", "/var/tmp"},
		[]string{"/tmp/bin", "/home/u/.ssh/x", "/usr/bin"})
	var got []string
	for i, c := range list {
		word := string(c.Kind) + " " + c.Path
		if c.Made {
			word += " made"
		}
		got = append(got, word)
		for _, later := range list[i+1:] {
			if later.Path != c.Path && confine.Under(c.Path, later.Path) {
				t.Errorf("%s comes before %s", c.Path, later.Path)
			}
		}
	}
	slices.Sort(got)
	want := []string{"bind /home/u/.local/state/ua/runs/r made", "bind /tmp/w made",
		"bind /tmp/w/.git made",
		"bind-read-only /tmp/bin made", "bind-read-only /tmp/w/.git/hooks made", "masked /home/u/.ssh",
		"masked /tmp/w/sock",
		"masked-around /home/u/.local/state/ua", "private-tmp " + filepath.Join("/tmp", tmpName) +
			" made", "private-tmp /var/tmp", "tmpfs /tmp"}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	shared := mounts(&policy.Policy{Dir: "/dev/shm/w", Home: "/h", Write: []string{"/dev/shm/w"}},
		nil, nil)
	if !slices.Equal(shared, []layer.Mount{{Path: "/dev/shm/w", Kind: layer.Bind, Made: true}}) {
		t.Errorf("a workspace in shared memory: %v", shared)
	}
	home := mounts(&policy.Policy{Dir: "/h", Home: "/h", Write: []string{"/h"},
		Masks: []policy.Mask{{Path: "/h/.config/gh", Dir: true}}}, nil, nil)
	if !slices.ContainsFunc(home, func(c layer.Mount) bool {
		return c.Path == "/h/.config" &&
			c.Kind == layer.Bind
	}) {
		t.Errorf("the folder of a secret can be moved: %v", home)
	}
	for _, c := range mounts(&policy.Policy{Dir: "/w", Home: "/h", Write: []string{"/"}}, nil, nil) {
		t.Errorf("%s %s in a policy that writes all", c.Kind, c.Path)
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
