package diff

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/test/trytest"
	"ua/internal/common/tree"
	"ua/internal/test/scripttest"
)

func TestRelative(t *testing.T) {
	for _, c := range []struct{ full, cwd, want string }{
		{"/w/a", "/w", "a"}, {"/w/d/a", "/w", "d/a"}, {"/w", "/w", "."}, {"/other/a", "/w", "other/a"},
		{"/w/..a", "/w", "..a"}, {"/ww/a", "/w", "ww/a"}, {"/w/a", "/w/d", "w/a"},
	} {
		if got := Relative(c.full, c.cwd); got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.full, c.cwd, got, c.want)
		}
	}
}

func TestNotes(t *testing.T) {
	file := func(typ tree.Type, mode tree.Mode) *tree.File {
		return &tree.File{Type: typ, Mode: mode}
	}
	owned := file(tree.Regular, 0o644)
	owned.UID, owned.GID = 7, 8
	for _, c := range []struct {
		change Change
		want   []string
	}{
		{Change{After: file(tree.Regular, 0o644)}, nil},
		{Change{After: file(tree.Regular, 0o755)}, nil}, // git's letter says it
		{Change{After: file(tree.Regular, 0o600)}, []string{"mode 0600"}},
		{Change{After: file(tree.Regular, 0o644), Link: "a"}, []string{"another link to a"}},
		{Change{After: file(tree.Folder, 0o755)}, []string{"new folder, mode 0755"}},
		{Change{After: file(tree.Fifo, 0o600)}, []string{"new fifo, mode 0600"}},
		{Change{After: file(tree.Symlink, 0o777)}, nil},
		{Change{Before: file(tree.Regular, 0o600)}, nil},
		{Change{Before: file(tree.Socket, 0o600)}, []string{"socket deleted"}},
		{Change{Before: file(tree.Folder, 0o700)}, []string{"folder deleted"}},
		{Change{Before: file(tree.Regular, 0o644), After: file(tree.Regular, 0o4755)},
			[]string{"mode 0644 -> 4755"}},
		{Change{Before: file(tree.Regular, 0o644), After: file(tree.Symlink, 0o777)},
			[]string{"file becomes link"}},
		{Change{Before: file(tree.Regular, 0o644), After: owned}, []string{"owner 0:0 -> 7:8"}},
	} {
		if got := Notes(&c.change); !slices.Equal(got, c.want) {
			t.Errorf("%+v -> %+v: %q, want %q", c.change.Before, c.change.After, got, c.want)
		}
	}
}

func TestNotesOfAttributes(t *testing.T) {
	dir := t.TempDir()
	old, now := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	os.WriteFile(old, nil, 0o644)
	os.WriteFile(now, nil, 0o644)
	for path, list := range map[string]map[string]string{
		old: {"user.same": "1", "user.other": "1", "user.gone": "1"},
		now: {"user.same": "1", "user.other": "2", "user.new": "1", "user.overlay.origin": "x"},
	} {
		for name, value := range list {
			if err := unix.Setxattr(path, name, []byte(value), 0); err != nil {
				scripttest.Skip(t, scripttest.Refused, "no attributes: %v", err)
			}
		}
	}
	f := &tree.File{Type: tree.Regular, Mode: 0o644}
	got := Notes(&Change{Before: f, After: f, Old: trytest.At(old), New: trytest.At(now)})
	slices.Sort(got)
	want := []string{"attribute user.gone changed", "attribute user.new changed",
		"attribute user.other changed"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// git shows the two sides of paths of any bytes, and neither the settings of a user nor
// a file in the try make it do something else.
func TestGit(t *testing.T) {
	scripttest.Need(t, "git")
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	os.Mkdir(home, 0o700)
	os.WriteFile(home+"/.gitconfig", []byte("[diff]\n\texternal = touch "+dir+"/owned\n"), 0o600)
	t.Setenv("HOME", home)
	t.Setenv("GIT_EXTERNAL_DIFF", "touch "+dir+"/owned")
	var list []Change
	add := func(path, status, before, after string) {
		c := Change{Path: path, Status: status}
		for side, text := range map[string]string{"old": before, "new": after} {
			if text == "" {
				continue
			}
			at := filepath.Join(dir, side+strings.NewReplacer("/", "_").Replace(path))
			os.WriteFile(at, []byte(text), 0o644)
			f, err := tree.Lstat(at)
			if err != nil {
				t.Fatal(err)
			}
			if side == "old" {
				c.Before, c.Old = f, trytest.At(at)
			} else {
				c.After, c.New = f, trytest.At(at)
			}
		}
		list = append(list, c)
	}
	add("d/changed", "M", "one\n", "two\n")
	add("made", "A", "", "new\n")
	add("gone", "D", "old\n", "")
	add("nl\n\xff\"", "M", "a\n", "b\n")
	add("binary", "M", "a\x00", "b\x00")
	add(".gitattributes", "A", "", "* -diff\n")
	var out bytes.Buffer
	if err := Git(&out, dir, list, "-p", "--no-color"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--- a/d/changed\n+++ b/d/changed\n@@ -1 +1 @@\n-one\n+two\n",
		"new file mode 100644", "+new\n", "deleted file mode 100644", "-old\n",
		`"a/nl\n\377\""`, "Binary files a/binary and b/binary differ"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if _, err := os.Lstat(dir + "/owned"); err == nil {
		t.Error("a setting has been run")
	}
	if left, _ := filepath.Glob(dir + "/diff*"); len(left) > 0 {
		t.Errorf("%q is left", left)
	}
	t.Setenv("PATH", dir)
	if err := Git(&out, dir, list); err != ErrNoGit {
		t.Errorf("without git: %v", err)
	}
}
