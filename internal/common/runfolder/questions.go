package runfolder

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"ua/internal/common/event"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
)

// AnswersFolder returns the folder with what people answer to a run's questions from elsewhere:
// files in the run at the top, where no command of it, or of a run below it, can write.
func AnswersFolder(r run.Run) string { return filepath.Join(r.Top().Dir, "answers") }

// answerPath returns the file with the answer to a question, an event ask. A call may be asked
// about again after an edit, and a model chooses its ID, so the time of the question belongs to
// it.
func answerPath(r run.Run, ask []byte) string {
	sum := sha256.Sum256([]byte(r.ID + " " + event.Str(ask, "ts") + " " + event.Str(ask, "call_id")))
	return filepath.Join(AnswersFolder(r), fmt.Sprintf("%x", sum))
}

// Answer gives an answer, an event, to a question. The first one holds: after it the error is
// os.ErrExist.
func Answer(r run.Run, ask, answer []byte) error {
	to := answerPath(r, ask)
	part := fmt.Sprintf("%s.%d", to, os.Getpid())
	err := os.WriteFile(part, answer, 0o600)
	if err == nil {
		err = os.Link(part, to)
		os.Remove(part)
	}
	return err
}

// Answered returns the answer to a question, nil while there is none. It stays where a sandbox
// keeps who asks from removing it.
func Answered(r run.Run, ask []byte) []byte {
	from := answerPath(r, ask)
	text, err := safefile.Read(from, 1<<16)
	info, gone := os.Lstat(from)
	if err != nil || gone != nil || int(info.Sys().(*syscall.Stat_t).Uid) != os.Getuid() ||
		event.Str(text, "call_id") != event.Str(ask, "call_id") {
		return nil
	}
	_ = os.Remove(from)
	return text
}

// Asked returns the open questions of a run that takes answers and goes on.
func Asked(r run.Run) [][]byte {
	if _, err := os.Stat(AnswersFolder(r)); err != nil {
		return nil
	}
	if i := Read(r); i.Live() {
		return i.Asks
	}
	return nil
}
