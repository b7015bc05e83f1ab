// Package inbox delivers messages to a run. Each message is a file in the folder inbox of
// the run. Whoever can write there can speak to the run, so the sandbox decides: a person
// may write to each of their runs, a command only to runs below its own.
package inbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
)

// TextMax is the longest text of a message, in bytes.
const TextMax = 1 << 20

// A Message is something that a person or another run tells a run.
type Message struct {
	Text string
	From string // "user", or the ID of the run that sent it
	Stop bool   // the run is to end, as by SIGTERM
}

// folder returns the folder in which the messages of a run wait.
func folder(r run.Run) string { return filepath.Join(r.Dir, "inbox") }

// Send leaves a message for a run. The message is written under a temporary name and then
// renamed, so that a reader never sees part of it. Names begin with the time, so that
// they sort in the order of sending.
//
// Commands of a run above r can write to r's folder. The file is therefore opened below
// the folder of the run at the top with os.Root, which no symbolic link leaves.
func Send(r run.Run, m Message) error {
	line := event.New("message").Str("text", m.Text).Str("from", m.From).Bool("stop", m.Stop).
		Line()
	top, err := os.OpenRoot(r.Top().Dir)
	if err != nil {
		return err
	}
	defer top.Close()
	folder, err := filepath.Rel(top.Name(), folder(r))
	if err != nil {
		return err
	}
	stamp := fmt.Sprintf("%020d-%s", time.Now().UnixNano(), rand.Text()[:8])
	name := filepath.Join(folder, stamp)
	if err := top.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	// Mkdir also reports ErrExist for a link or a file in the folder's place.
	if info, err := top.Lstat(folder); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: not a folder", folder)
	}
	f, err := top.OpenFile(name+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = top.Rename(name+".new", name)
	}
	if err != nil {
		top.Remove(name + ".new")
	}
	return err
}

// Take removes the waiting messages of a run and returns them in the order of sending. A
// file that is no message is removed too, and err says so.
func Take(r run.Run) (list []Message, err error) {
	info, err := os.Lstat(folder(r))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, nil // what a link leads to is not ours to remove
	}
	entries, err := os.ReadDir(folder(r))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		return strings.Compare(a.Name(),
			b.Name())
	})
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".new") {
			continue
		}
		path := filepath.Join(folder(r), e.Name())
		m, failed := read(path)
		if failed != nil {
			err = errors.Join(err, failed)
		} else {
			list = append(list, m)
		}
		if failed := os.Remove(path); failed != nil {
			return list, errors.Join(err, failed) // it would come again for ever
		}
	}
	return list, err
}

// read returns the message in a file. A text that is too long is cut.
func read(path string) (m Message, err error) {
	line, err := safefile.Read(path, 2*TextMax)
	if err != nil {
		return m, err
	}
	if !event.Valid(line) || event.Type(line) != "message" {
		return m, fmt.Errorf("%s: not a message", path)
	}
	text := event.Str(line, "text")
	return Message{Text: text[:min(len(text), TextMax)], From: event.Str(line, "from"),
		Stop: gjson.GetBytes(line, "stop").Bool()}, nil
}
