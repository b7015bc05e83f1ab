//go:build linux

package manifest

import (
	"path"
	"slices"
	"strings"
	"testing"
)

const lines = `{"cover":0,"path":".","status":"t",` +
	`"before":{"type":"folder","mode":"0755","uid":0,"gid":0,"size":1,` +
	`"mtime":"1.000000000","ctime":"1.000000000","ino":1,"links":1},` +
	`"after":{"type":"folder","mode":"0755","uid":0,"gid":0,"size":1,` +
	`"mtime":"2.000000000","ctime":"1.000000000","ino":1,"links":1}}
{"cover":0,"path":{"base64":"YQ=="},"status":"A",` +
	`"after":{"type":"file","mode":"0644","uid":0,"gid":0,"size":1,` +
	`"mtime":"1.000000000","ctime":"1.000000000","ino":1,"links":1}}
`

func TestDecode(t *testing.T) {
	list, err := Decode([]byte(lines), 1)
	if err != nil || len(list) != 2 || list[1].Path != "a" || list[0].After.Mtime != 2e9 {
		t.Fatalf("%+v, %v", list, err)
	}
	for name, bad := range map[string]string{
		"order":    strings.Repeat(lines, 2),
		"path out": strings.Replace(lines, `{"base64":"YQ=="}`, `"a/../../b"`, 1),
		"status":   strings.Replace(lines, `"A"`, `"Q"`, 1),
		"letter":   strings.Replace(lines, `"A"`, `"M"`, 1),
		"time":     strings.Replace(lines, "1.000000000", "1.5", 1),
		"mode":     strings.Replace(lines, "0644", "99999", 1),
		"cover":    strings.Replace(lines, `"cover":0,"path":{`, `"cover":7,"path":{`, 1),
	} {
		if _, err := Decode([]byte(bad), 1); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestComparePaths(t *testing.T) {
	want := []string{".", "a", "a/b", "a/b/c", "a/é", "a!", "a.b", "b"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, ComparePaths)
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// FuzzDecode: whatever a broken disk makes of a manifest, no entry leads out of
// its cover.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(lines), 1)
	f.Fuzz(func(t *testing.T, text []byte, covers int) {
		list, err := Decode(text, covers)
		if err != nil {
			return
		}
		for i := range list {
			p := string(list[i].Path)
			if path.IsAbs(p) || !strings.HasPrefix(path.Join("/top", p), "/top") {
				t.Fatalf("%q", p)
			}
		}
		Files(list)
	})
}

func TestChanged(t *testing.T) {
	for _, c := range []struct {
		files, folders int
		want           string
	}{
		{0, 0, ""}, {1, 0, "1 file changed"}, {2, 5, "2 files changed"}, {0, 1, "1 folder changed"},
		{0, 2, "2 folders changed"},
	} {
		if got := Changed(c.files, c.folders); got != c.want {
			t.Errorf("%d files, %d folders: %q", c.files, c.folders, got)
		}
	}
}
