// Package person asks a person about a call: on the terminal, by a file of answers, or by ua
// answer from elsewhere.
package person

import (
	"os"
	"path/filepath"
	"time"

	uarun "ua/internal/common/run"
)

// A Person answers questions.
type Person interface {
	// Ask puts the question and returns the answer. An error says in words why
	// there is none.
	Ask(q *Question) (Reply, error)
}

// At returns the person at the terminal, which is opened at the first question, or who writes
// answers into a file. A folder of answers stands for the run of the journal, whose questions ua
// answer gives answers to as well.
func At(answers, journal string, limit time.Duration) (Person, error) {
	if info, err := os.Stat(answers); err == nil && info.IsDir() {
		dir := filepath.Dir(journal)
		return &terminal{limit: limit, run: &uarun.Run{ID: filepath.Base(dir), Dir: dir}}, nil
	}
	if answers != "" {
		return openAnswers(answers, limit)
	}
	return &terminal{limit: limit}, nil
}
