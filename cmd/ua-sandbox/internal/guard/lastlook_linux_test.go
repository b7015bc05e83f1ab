package guard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestPlain lets the last look leave out a folder only if nothing in it can lead git anywhere.
func TestPlain(t *testing.T) {
	top, later := t.TempDir(), time.Now().Add(time.Hour)
	at, err := unix.Open(top, unix.O_PATH, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(at)
	for name, want := range map[string]bool{"": true, "file": true, ".git": false,
		"commondir": false, "below/": false, ".git/": false} {
		dir, err := os.MkdirTemp(top, "")
		if below, folder := strings.CutSuffix(name, "/"); err == nil && folder {
			err = os.Mkdir(filepath.Join(dir, below), 0o700)
		} else if err == nil && name != "" {
			err = os.WriteFile(filepath.Join(dir, name), nil, 0o600)
		}
		var stat unix.Stat_t
		if err != nil || unix.Lstat(dir, &stat) != nil {
			t.Fatal(err)
		}
		before := stat
		links := stat.Nlink
		got := (&Look{Began: later}).plain(at, dir, &stat)
		if got && !want || !got && want && links == 2 && counts(t, dir) {
			t.Errorf("%q: %v", name, got)
		}
		if (&Look{Began: time.Unix(before.Ctim.Unix())}).plain(at, dir, &before) {
			t.Errorf("%q: changed since", name)
		}
	}
}

// counts reports whether the file system of a folder counts the folders in a folder.
func counts(t *testing.T, dir string) bool {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		t.Fatal(err)
	}
	return fs.Type == unix.EXT4_SUPER_MAGIC || fs.Type == unix.TMPFS_MAGIC
}
