package store

import (
	"bytes"
	"fmt"
	"io"

	"ua/internal/common/event"
	"ua/internal/common/journal"
)

// resume reads where the journal stands: its size and the hash of its last line. A line
// that was torn is ended.
func (w *Writer) resume() error {
	info, err := w.File.Stat()
	if err != nil {
		return err
	}
	w.Size = info.Size()
	copy(w.prev[:], journal.First)
	if w.Size == 0 {
		return nil
	}
	line, whole, err := lastLine(w.File, w.Size)
	if err != nil {
		return err
	}
	w.prev = journal.Sum(line)
	if !whole {
		return w.put([]byte{'\n'})
	}
	return nil
}

// lastMax is how far from the end of a journal its last line may begin. No writer of ours
// leaves a longer one, but a command can have made the journal of a subagent's run.
const lastMax = 4 * event.MaxLine

// lastLine returns the last line of a file of size bytes, without its newline, and
// whether it has one. It reads from the end of the file.
func lastLine(f io.ReaderAt, size int64) (line []byte, whole bool, err error) {
	least := max(size-lastMax, 0)
	at, err := LastNewline(f, least, size-1)
	if err == nil && at == least && at > 0 {
		err = fmt.Errorf("the last line is longer than %d bytes", lastMax)
	}
	if err != nil {
		return nil, false, err
	}
	b := make([]byte, size-at)
	_, err = f.ReadAt(b, at)
	line = bytes.TrimSuffix(b, []byte{'\n'})
	return line, len(line) < len(b), err
}
