package access

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLook has a folder that holds no folder found out by its links, and nothing missed in
// one that does, whichever file system it is on.
func TestLook(t *testing.T) {
	for _, base := range []string{t.TempDir(), "/dev/shm"} {
		top, err := os.MkdirTemp(base, "look")
		if err != nil {
			continue
		}
		defer os.RemoveAll(top)
		for _, c := range []struct {
			files, folders, links []string
			want                  contents
		}{
			{},
			{files: []string{"a", "HEAD", "objects", "refs"}},
			{files: []string{".git"}, want: contents{git: true}},
			{links: []string{".git", "x"}, want: contents{git: true}},
			{folders: []string{".git"}, want: contents{git: true, gitFolder: true}},
			{files: []string{"HEAD"}, folders: []string{"objects", "refs"}, want: contents{bare: true}},
			{files: []string{"HEAD"}, folders: []string{"objects", "refs", "b"},
				want: contents{bare: true, below: []string{"b"}}},
			{folders: []string{"objects", "refs", "b"},
				want: contents{below: []string{"b", "objects", "refs"}}},
			{files: []string{".git"}, folders: []string{"b", "node_modules"},
				want: contents{git: true, crowded: []string{"node_modules"},
					below: []string{"b"}}},
		} {
			dir, err := os.MkdirTemp(top, "")
			for _, name := range c.files {
				err = os.WriteFile(filepath.Join(dir, name), nil, 0o600)
			}
			for _, name := range c.folders {
				err = os.Mkdir(filepath.Join(dir, name), 0o700)
			}
			for _, name := range c.links {
				err = os.Symlink(top, filepath.Join(dir, name))
			}
			if err != nil {
				t.Fatal(err)
			}
			var devices Devices
			got := look(dir, &devices)
			if got.git != c.want.git || got.gitFolder != c.want.gitFolder || got.bare != c.want.bare ||
				len(got.below) != len(c.want.below) || len(got.crowded) != len(c.want.crowded) ||
				got.path != dir {
				t.Errorf("%s, %+v: %+v", base, c, got)
			}
			if devices.childless(dir) && len(c.folders) > 0 {
				t.Errorf("%s, %+v holds a folder", base, c)
			}
		}
	}
}
