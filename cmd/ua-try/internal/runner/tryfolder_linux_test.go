package runner

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/overlay"
	"ua/internal/common/execwrap"
	"ua/internal/common/tree"
)

func TestMend(t *testing.T) {
	if off := execwrap.NamespacesOff(); off != "" {
		if got := remedy(unix.ENODEV, nil, nil); got != off {
			t.Errorf("%q, want %q", got, off)
		}
		return
	}
	for _, c := range []struct {
		err          error
		asis, covers string
		want         string
	}{
		{unix.ENODEV, "", "/w", "modprobe overlay"},
		{&overlay.Refusal{Step: "x", Err: unix.ENODEV}, "", "/w", "modprobe overlay"},
		{unix.EINVAL, "", "/w", "-o DIR names a folder on a disk"},
		{unix.EINVAL, "", "/w /w/mount", "a folder that has mounts in it, here /w/mount:"},
		{unix.EINVAL, "/w/proc", "/w /w/mount", "here /w/proc, /w/mount:"},
		{unix.ENOTEMPTY, "", "/w", "empty or not there yet"},
		{unix.EPERM, "", "/w", "docker run --security-opt seccomp=unconfined --cap-add SYS_ADMIN"},
		{unix.EIO, "", "/w", "-o DIR names a folder on a disk"},
		{errors.New("no place"), "", "/w", "-o DIR"},
	} {
		got := remedy(c.err, strings.Fields(c.asis), strings.Fields(c.covers))
		if !strings.Contains(got, c.want) {
			t.Errorf("%v: %s", c.err, got)
		}
	}
}

func TestElsewhere(t *testing.T) {
	for err, want := range map[error]bool{unix.EINVAL: true, unix.ELOOP: true, unix.ENOSPC: true,
		unix.EOPNOTSUPP: true, unix.EPERM: false, unix.ENODEV: false, errors.New("x"): false} {
		for _, wrapped := range []error{
			err, &overlay.Refusal{Step: "/w", Err: err}, fmt.Errorf("a: %w", err),
		} {
			if got := otherPlaceHelps(wrapped); got != want {
				t.Errorf("%v: %v", wrapped, got)
			}
		}
	}
}

func TestUnfit(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"work/in", "own", "open"} {
		if err := os.MkdirAll(at(name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	os.Chmod(at("open"), 0o777)
	os.Symlink("work", at("link"))
	for path, want := range map[string]string{
		at("own"): "", at("own/new/deeper"): "", at("new"): "", at("workshop"): "",
		at("work"):        "lies in a folder that is covered",
		at("work/in/new"): "lies in a folder that is covered",
		at("link"):        "lies in a folder that is covered",
		at("link/in/new"): "lies in a folder that is covered",
		at("open"):        "can be written by others",
	} {
		err := unfit(path, []string{at("work")})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "outer/work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", dir)
	t.Chdir(work)
	covers := []string{work}
	list, skipped := places(covers, "")
	beside := fmt.Sprintf("%s/outer/.ua-tries-%d", dir, os.Geteuid())
	if len(list) < 2 || list[0] != (place{}) || skipped != "" || list[1].dir != beside {
		t.Errorf("%+v %q", list, skipped)
	}
	t.Setenv("XDG_STATE_HOME", work)
	list, skipped = places(covers, "")
	if len(list) < 1 || list[0].dir != beside ||
		!strings.Contains(skipped, "lies in a folder that is covered") ||
		!strings.Contains(list[0].note, "the changes are kept in "+beside+": "+skipped) {
		t.Errorf("%+v %q", list, skipped)
	}
	for out, want := range map[string]string{
		"../out": dir + "/outer/out", "in": "", ".": "", dir + "/x": dir + "/x",
	} {
		list, skipped := places(covers, out)
		if want == "" && (len(list) != 0 || !strings.Contains(skipped, "covered")) ||
			want != "" && (len(list) != 1 || list[0].out != want) {
			t.Errorf("-o %s: %+v %q", out, list, skipped)
		}
	}
}

func TestRelink(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	os.WriteFile(at("file"), nil, 0o600)
	os.Mkdir(at("folder"), 0o700)
	os.Symlink("elsewhere", at("old"))
	os.Symlink("left", at("new.new")) // by one that was killed
	for name, ok := range map[string]bool{
		"new": true, "old": true, "file": false, "folder": false, "none/x": false,
	} {
		err := relink("/a/try", at(name))
		to, _ := os.Readlink(at(name))
		if (err == nil) != ok || (to == "/a/try") != ok {
			t.Errorf("%s: %q %v", name, to, err)
		}
	}
	if left, _ := filepath.Glob(at("*.new")); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}

func TestNow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	if _, err := now(path); !errors.Is(err, unix.ENOENT) {
		t.Error(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		before, err := tree.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		at, err := now(path)
		os.Chmod(path, 0o600)
		after, _ := tree.Lstat(path)
		if err != nil || before.Ctime >= at || after.Ctime < at {
			t.Fatalf("%d, then %d and %d; %v", before.Ctime, at, after.Ctime, err)
		}
	}
}
