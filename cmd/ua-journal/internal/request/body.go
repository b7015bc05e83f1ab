// Package request finds the API calls of a journal and makes their request bodies again.
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

// Bodies calls do for the API calls of a run, or only for call only, with the request's
// body. The argument ok says whether that body has the hash that was recorded; the result
// ok says so for all of them.
func Bodies(path string, budget, only int,
	bad func(error), do func(a *Call, run string, body []byte,
		ok bool) error) (ok bool, err error) {
	j, size, err := store.Open(path)
	if err != nil {
		return false, err
	}
	defer j.Close()
	run, ok := filepath.Base(filepath.Dir(j.Name())), true
	b := builders{}
	defer b.close()
	// Ends the scan once the one call was found.
	errDone := errors.New("found")
	err = Scan(j, size, bad, func(a *Call) error {
		if only > 0 && a.N != only {
			return nil
		}
		body, err := a.body(j, budget, b)
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

// body makes the body of the call's request again, from the conversation as it was then.
func (a *Call) body(j *os.File, budget int, b builders) ([]byte, error) {
	// The journal knows the budget of this turn better than the option.
	if a.budget >= 0 {
		budget = a.budget
	}
	lines, err := journal.Conversation(j, a.size, budget, journal.Ignore)
	if err != nil {
		return nil, err
	}
	body, err := b.body(a.Model(), lines)
	if err == nil || a.SHA256() == "" {
		return body, err
	}
	// A recording may name a model that is not configured here. ua-think then takes the
	// form of its own replays, which is tried as well.
	if played, err2 := b.body("replay:"+j.Name(), lines); err2 == nil &&
		hashOf(played) == a.SHA256() {
		return played, nil
	}
	return nil, err
}

// hashOf returns the SHA-256 of a body in hexadecimal.
func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
