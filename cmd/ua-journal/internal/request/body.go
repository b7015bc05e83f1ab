package request

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/journal"
)

// Bodies calls do with the API calls of a run, or only one of them, and their
// bodies. ok says that each has the hash that was recorded.
func Bodies(path string, budget, only int,
	bad func(error), do func(a *Call, run string, body []byte,
		ok bool) error) (ok bool, err error) {
	j, size, err := store.Open(path)
	if err != nil {
		return false, err
	}
	defer j.Close()
	var t Builder
	defer t.Close()
	run, ok := filepath.Base(filepath.Dir(j.Name())), true
	errDone := errors.New("found")
	err = Scan(j, size, bad, func(a *Call) error {
		if only > 0 && a.N != only {
			return nil
		}
		body, err := a.body(&t, j, budget)
		if err != nil {
			return fmt.Errorf("call %d: %w", a.N, err)
		}
		same := hashOf(body) == a.SHA256()
		ok = ok && same
		if err := do(a, run, body, same); err != nil {
			return err
		}
		if only > 0 {
			return errDone
		}
		return nil
	})
	if err == errDone {
		err = nil
	}
	return ok && err == nil, err
}

// body returns the body of the call's request, made anew of the conversation that
// was there.
func (a *Call) body(t *Builder, j *os.File, budget int) ([]byte, error) {
	if a.budget >= 0 {
		budget = a.budget
	}
	lines, err := journal.Conversation(j, a.size, budget, store.Ignore)
	if err != nil {
		return nil, err
	}
	body, err := t.Body(a.Model(), lines)
	if err == nil || a.SHA256() == "" {
		return body, err
	}
	// A recording may name a model that nobody has: ua-think then takes the form
	// of its own replays.
	if played, err2 := t.Body("replay:"+j.Name(), lines); err2 == nil &&
		hashOf(played) == a.SHA256() {
		return played, nil
	}
	return nil, err
}

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
