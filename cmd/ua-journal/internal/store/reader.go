// Package store keeps a journal as a file. It opens, locks, appends, syncs, reads,
// follows and verifies it.
package store

import (
	"bytes"
	"io"
	"os"

	"ua/internal/common/journal"
	"ua/internal/common/runfolder"
	"ua/internal/common/safefile"
)

// Open opens the journal at path for reading, as safefile.Open does, and returns its
// present size. A line that is still being written is not counted.
func Open(path string) (j *os.File, size int64, err error) {
	if j, err = safefile.Open(path); err != nil {
		return nil, 0, err
	}
	info, err := j.Stat()
	if err != nil {
		j.Close()
		return nil, 0, err
	}
	size, err = wholeLines(j, info.Size())
	return j, size, err
}

// wholeLines returns size or, while a process writes the journal, what of it is whole
// lines.
func wholeLines(j *os.File, size int64) (int64, error) {
	last := make([]byte, 1)
	if size == 0 {
		return 0, nil
	}
	if _, err := j.ReadAt(last, size-1); err != nil || last[0] == '\n' {
		return size, err
	}
	if _, written := runfolder.Holder(j); !written {
		return size, nil
	}
	return LastNewline(j, 0, size)
}

// LastLines returns the offset of the last n lines of the first size bytes.
func LastLines(f io.ReaderAt, size int64, n int) (at int64, err error) {
	at = size
	if n == 0 {
		return at, nil
	}
	err = journal.Backward(f, size, func(_ []byte, offset int64) bool {
		at = offset
		n--
		return n > 0
	})
	return at, err
}

// LastNewline returns the offset after the last newline between the offsets lo and hi, or
// lo if there is none.
func LastNewline(f io.ReaderAt, lo, hi int64) (int64, error) {
	for hi > lo {
		b := make([]byte, min(64<<10, hi-lo))
		if _, err := f.ReadAt(b, hi-int64(len(b))); err != nil {
			return lo, err
		}
		hi -= int64(len(b))
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			return hi + int64(i) + 1, nil
		}
	}
	return lo, nil
}
