package person

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// answers is the person's side of questions as a file or FIFO of answer events.
type answers struct {
	limit time.Duration
	lines chan answer
	kept  map[string]Reply // came before they were asked for
}

// An answer is a reply with the ID of its call.
type answer struct {
	id string
	Reply
}

// openAnswers opens the file. A FIFO is opened for writing as well, so that the answers
// do not end when a writer closes it. A descriptor that the gate was started with is
// taken as it is, and the answers end with it.
func openAnswers(path string, limit time.Duration) (*answers, error) {
	var f *os.File
	fd, err := strconv.Atoi(strings.TrimPrefix(path, "/dev/fd/"))
	if err == nil && fd > 2 && path[0] == '/' {
		f = os.NewFile(uintptr(fd), path)
		// The number may be of a descriptor that is not open.
		if _, err = f.Stat(); err == nil {
			syscall.CloseOnExec(fd)
		}
	} else {
		flag := os.O_RDONLY
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
			flag = os.O_RDWR | syscall.O_NONBLOCK
		}
		f, err = os.OpenFile(path, flag, 0)
	}
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "%s: %v", path, prog.Cause(err))
	}
	a := &answers{limit, make(chan answer), map[string]Reply{}}
	go a.read(f)
	return a, nil
}

// read sends the answers on, and closes lines at the end of the file.
func (a *answers) read(f io.Reader) {
	defer close(a.lines)
	events := event.NewReader(f)
	for {
		line, err := events.Next()
		var bad *event.Malformed
		switch {
		case errors.As(err, &bad):
			continue
		case err != nil:
			return
		case event.Type(line) != "answer":
			continue
		}
		a.lines <- answer{event.Str(line, "call_id"), replyOf(line)}
	}
}

// Ask waits for the answer with the call's ID. An answer with another command is an edit,
// whatever its decision: the gate judges that command first.
func (a *answers) Ask(q *Question) (Reply, error) {
	late := time.After(a.limit)
	for {
		if r, ok := a.kept[q.ID]; ok {
			// One answer answers one question.
			delete(a.kept, q.ID)
			if r.Command != "" && r.Command != q.Command && r.Word != "deny" && r.Word != "quit" {
				r.Word = "edit"
			}
			return r, nil
		}
		select {
		case r, ok := <-a.lines:
			if !ok {
				return Reply{}, errors.New("no answer came")
			}
			a.kept[r.id] = r.Reply
		case <-late:
			return Reply{}, noAnswer(a.limit)
		}
	}
}
