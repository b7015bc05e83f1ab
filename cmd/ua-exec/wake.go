package main

import (
	"bytes"
	"fmt"
	"regexp"
	"sync"

	"ua/internal/common/jobs"
)

// A wake counts the lines of a job that match a pattern (ua job start --wake) in the job's
// record, where what drives the run reads it.
type wake struct {
	pattern *regexp.Regexp // nil: nothing is counted
	line    []byte         // what has come of the last one
	mu      sync.Mutex     // held while the record is changed
	record  *jobs.Record   // nil before it is there
}

// wakePattern returns the pattern of a request, nil for none.
func wakePattern(text string) (re *regexp.Regexp, err error) {
	if text == "" {
		return nil, nil
	}
	if re, err = regexp.Compile(text[:min(len(text), wakeMax)]); err != nil {
		err = fmt.Errorf("--wake: %w", err)
	}
	return re, err
}

// look counts the lines of the job's output that are complete now. Of a very long one it sees
// the beginning.
func (e *execution) look(p []byte) {
	for w := &e.wake; w.pattern != nil; {
		part, rest, whole := bytes.Cut(p, []byte{'\n'})
		w.line = append(w.line, part[:min(len(part), wakeLine-len(w.line))]...)
		if !whole {
			return
		}
		if w.pattern.Match(w.line) {
			e.matched(string(w.line))
		}
		w.line, p = w.line[:0], rest
	}
}

// matched writes down a line that matches.
func (e *execution) matched(line string) {
	e.wake.mu.Lock()
	defer e.wake.mu.Unlock()
	r := e.wake.record
	r.Matches, r.Matched = r.Matches+1, line
	if e.record != "" {
		e.x.folder.Record(e.call.id, e.record, r)
	}
}
