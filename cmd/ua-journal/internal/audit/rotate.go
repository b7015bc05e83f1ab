package audit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ua/cmd/ua-journal/internal/store"
)

// rotate renames a log that was last written in an earlier month, as audit-2026-10.jsonl.
// With retain it removes the files of months that ended more than that many days ago. A
// clock that goes back rotates nothing.
func rotate(path, month string, retain int) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && info.Mode().IsRegular() && info.Size() > 0 && monthOf(info) < month {
		err = putAside(path, month)
	}
	if err == nil && retain > 0 {
		err = expire(path, retain)
	}
	return err
}

// monthOf returns the month in which a file was last written, in UTC.
func monthOf(info fs.FileInfo) string { return info.ModTime().UTC().Format("2006-01") }

// putAside renames the log under a lock, so that only one of several writers does it.
// Under the lock it checks that the file is still the log.
func putAside(path, month string) error {
	f, err := store.OpenOwn(path, os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another writer was first
	} else if err != nil {
		return err
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	// While this writer waited for the lock, another may have renamed the file.
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	now, err := os.Lstat(path)
	if err != nil || !os.SameFile(mine, now) || monthOf(mine) >= month {
		return nil
	}
	stem := strings.TrimSuffix(path, ".jsonl") + "-" + monthOf(mine)
	for name := stem + ".jsonl"; ; name = stem + "-" + time.Now().UTC().Format("150405.000000") +
		".jsonl" {
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return os.Rename(path, name)
		}
	}
}

// expire removes the files of months that ended more than retain days ago.
func expire(path string, retain int) error {
	files, err := Aside(path)
	if err != nil {
		return err
	}
	stem := strings.TrimSuffix(filepath.Base(path), ".jsonl") + "-"
	for _, name := range files {
		month, err := time.Parse("2006-01", strings.TrimPrefix(filepath.Base(name), stem)[:7])
		if err != nil {
			continue
		}
		if end := month.AddDate(0, 1, retain); time.Now().After(end) {
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// Aside returns the files of past months of the log at path, oldest first.
func Aside(path string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	stem := strings.TrimSuffix(filepath.Base(path), ".jsonl") + "-"
	var files []string
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), stem)
		if ok && len(rest) >= len("2006-01.jsonl") && strings.HasSuffix(rest, ".jsonl") &&
			e.Type().IsRegular() {
			files = append(files, filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	return files, nil
}
