//go:build linux

package overlay

import (
	"slices"
	"strings"
	"testing"
)

const mountinfo = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:5 / /w/with\040space rw - tmpfs tmpfs rw
31 22 0:6 / /w/proc rw - proc proc rw
32 22 0:7 / /work rw - tmpfs tmpfs rw
33 30 0:8 / /w/with\040space rw - ext4 /dev/sdb rw
`

func TestBelow(t *testing.T) {
	got := below(mountinfo, "/w")
	want := []Mount{{"/w/proc", "proc"}, {"/w/with space", "ext4"}}
	if !slices.Equal(got, want) || !got[0].OfKernel() || got[1].OfKernel() {
		t.Errorf("%+v", got)
	}
	if all := below(mountinfo, "/"); len(all) != 3 {
		t.Errorf("%+v", all)
	}
}

// FuzzBelow: any text comes to mounts below the folder.
func FuzzBelow(f *testing.F) {
	f.Add(mountinfo, "/w")
	f.Fuzz(func(t *testing.T, text, dir string) {
		for _, m := range below(text, dir) {
			if !strings.HasPrefix(m.Path, strings.TrimSuffix(dir, "/")+"/") {
				t.Fatalf("%q is not below %q", m.Path, dir)
			}
		}
	})
}
