package ring

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/runs"
)

// A longInput is the content of stdin when it is too large to send, kept in a file.
type longInput struct {
	file *os.File // in the folder of runs, until the run has one
	size int64
	head []byte
	tail []byte
}

// spill writes all that r holds into a file in the folder, and keeps both ends of it.
func spill(r io.Reader, folder string) (b *longInput, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, runs.FolderError(err)
	}
	f, err := os.CreateTemp(folder, ".stdin-*")
	if err != nil {
		return nil, runs.FolderError(err)
	}
	b = &longInput{file: f}
	if b.size, err = io.Copy(f, r); err != nil {
		b.drop()
		return nil, prog.Errorf(prog.Trouble, "stdin: %v", errors.Unwrap(err))
	}
	b.head, b.tail = make([]byte, excerpt), make([]byte, excerpt)
	_, err = f.ReadAt(b.head, 0)
	_, err2 := f.ReadAt(b.tail, b.size-excerpt)
	if err = errors.Join(err, err2, f.Chmod(0o400)); err != nil {
		b.drop()
		return nil, prog.Errorf(prog.Trouble, "stdin: %v", err)
	}
	return b, nil
}

// drop removes a file that has not been moved into a run's folder.
func (b *longInput) drop() {
	if b != nil {
		b.file.Close()
		os.Remove(b.file.Name())
	}
}

// settle moves the file into the run's folder. It returns the attachment that the model
// gets in place of the content: its beginning, its end and the path.
func (b *longInput) settle(env *prog.Env, dir string) (attachment []byte, err error) {
	path := filepath.Join(dir, "stdin")
	if err := errors.Join(b.file.Close(), os.Rename(b.file.Name(), path)); err != nil {
		return nil, runs.FolderError(err)
	}
	env.Warnf("stdin holds %d bytes: the model is sent the beginning, the end and the path %s",
		b.size, path)
	text := fmt.Sprintf("%s\n[… %d bytes in all; commands can read the whole in %s …]\n%s",
		strings.ToValidUTF8(string(b.head), ""), b.size, path,
		strings.ToValidUTF8(string(b.tail), ""))
	a := event.AppendString([]byte(`{"name":"stdin","media_type":"text/plain","text":`), text)
	return append(a, '}'), nil
}
