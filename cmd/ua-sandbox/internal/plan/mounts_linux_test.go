package plan

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ua/cmd/ua-sandbox/internal/access"
	"ua/cmd/ua-sandbox/internal/layer"
	"ua/internal/common/confine"
)

// Mounts come parents first; what lies in a hidden place is made there.
func TestMounts(t *testing.T) {
	p := &access.Policy{Dir: "/tmp/w", Home: "/home/u",
		Write: []string{"/tmp/w", "/home/u/.local/state/ua/runs/r"}, Read: []string{"/usr"},
		Masks: []access.Mask{{Path: "/home/u/.local/state/ua", Dir: true},
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
	shared := mounts(&access.Policy{Dir: "/dev/shm/w", Home: "/h", Write: []string{"/dev/shm/w"}},
		nil, nil)
	if !slices.Equal(shared, []layer.Mount{{Path: "/dev/shm/w", Kind: layer.Bind, Made: true}}) {
		t.Errorf("a workspace in shared memory: %v", shared)
	}
	home := mounts(&access.Policy{Dir: "/h", Home: "/h", Write: []string{"/h"},
		Masks: []access.Mask{{Path: "/h/.config/gh", Dir: true}}}, nil, nil)
	if !slices.ContainsFunc(home, func(c layer.Mount) bool {
		return c.Path == "/h/.config" &&
			c.Kind == layer.Bind
	}) {
		t.Errorf("the folder of a secret can be moved: %v", home)
	}
	for _, c := range mounts(&access.Policy{Dir: "/w", Home: "/h", Write: []string{"/"}}, nil, nil) {
		t.Errorf("%s %s in a policy that writes all", c.Kind, c.Path)
	}
}
