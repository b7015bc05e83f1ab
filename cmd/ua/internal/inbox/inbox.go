// Package inbox passes messages to a run: each is a file in the folder inbox of
// the run's own. Who may write there may speak to the run, so the sandbox decides:
// a person may write to every run of theirs, a command only to runs below its own.
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
	"ua/internal/common/regular"
	"ua/internal/common/run"
)

// TextMax is the longest text of a message, in bytes.
const TextMax = 1 << 20

// A Message is what somebody tells a run.
type Message struct {
	Text string
	From string // "user", or the ID of the run that sent it
	Stop bool   // the run is to end, as by SIGTERM
}

// folder returns where the messages of a run lie.
func folder(r run.Run) string { return filepath.Join(r.Dir, "inbox") }

// Send leaves a message, whole or not at all: it is written under another name
// first. The order is that of sending. The commands of a run that is above r may write to
// r's folder: no link in it leads out of the tree of the run at the top.
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

// Take removes the messages that lie in a run's inbox and returns them in the
// order of sending. What is no message is removed too, and told in err.
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

// read returns the message in a file.
func read(path string) (m Message, err error) {
	line, err := regular.Read(path, 2*TextMax)
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
