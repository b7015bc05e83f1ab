package supervisor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ua/internal/common/tree"
)

func TestFew(t *testing.T) {
	many := func(format string, n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf(format, i))
		}
		return list
	}
	for _, c := range []struct{ paths, want []string }{
		{nil, nil},
		{[]string{"/b/x", "/a/x", "/b/x"}, []string{"/a/x", "/b/x"}},
		{[]string{"/a/b/c", "/a/b", "/a/bc"}, []string{"/a/b", "/a/bc"}},
		{many("/a/b/%d", 4), many("/a/b/%d", 4)},
		{many("/a/b/%d", 5), []string{"/a/b"}},
		{append(many("/home/u/.cache/go/%d/x", 300), "/tmp/x"), []string{"/home/u/.cache/go", "/tmp/x"}},
		{append(many("/a/b/%d", 9), many("/c/d/e/%d", 9)...), []string{"/a/b", "/c/d"}},
		{many("/a%d/x", 9), many("/a%d/x", 9)}, // none holds them but the root
	} {
		if got := commonFolders(slices.Clone(c.paths)); !slices.Equal(got, c.want) {
			t.Errorf("%.200q: %q, want %q", c.paths, got, c.want)
		}
	}
}

// More paths than there is room for are told as far as there is, but temporary files

// take none.

func TestOutsideIsBounded(t *testing.T) {
	dir := t.TempDir()
	o := &outside{existed: map[string]bool{}}
	for i := range 3 * outsideMax {
		o.add(filepath.Join(dir, fmt.Sprint(i))) // about to be made, and removed again
	}
	last := filepath.Join(dir, "last")
	o.add(last)
	os.WriteFile(last, nil, 0o600)
	if got := o.list(); !slices.Equal(got, []string{last}) || len(o.existed) > outsideMax {
		t.Errorf("%q, %d are known", got, len(o.existed))
	}
	o.began = tree.Stamp(1 << 62)
	if got := o.list(); len(got) != 0 {
		t.Errorf("%q was changed in the future", got)
	}
	for _, path := range []string{"/proc/self/x", "/sys/x", "/proc"} {
		if o.add(path); o.existed[path] {
			t.Errorf("%s is remembered", path)
		}
	}
}

// What sandboxes keep and tidy up for themselves is nothing that the command wrote.

func TestOutsideOfSandboxes(t *testing.T) {
	tmp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", tmp)
	t.Setenv("XDG_STATE_HOME", tmp+"/state")
	os.Mkdir(tmp+"/ua-sandbox-new", 0o700)
	o := &outside{existed: map[string]bool{}}
	for path, existed := range map[string]bool{
		"/ua-sandbox-1": true, "/ua-sandbox-1/file": true, // another's that was killed, swept
		"/ua-sandbox-2/d/file": true, "/ua-sandbox-new": false, // not removed
		"/sub/ua-sandbox-3": true, "/other": true, "/ua-sandbox": true,
	} {
		o.existed[tmp+path] = existed
	}
	for _, path := range []string{
		"/state/ua/sandboxes", "/state/ua/sandboxes/.123", "/state/ua/other",
	} {
		o.add(tmp + path)
		os.MkdirAll(tmp+path, 0o700)
	}
	want := []string{
		"/other", "/state/ua/other", "/sub/ua-sandbox-3", "/ua-sandbox", "/ua-sandbox-new",
	}
	var got []string
	for path, existed := range o.existed {
		if o.changed(path, existed) {
			got = append(got, strings.TrimPrefix(path, tmp))
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
