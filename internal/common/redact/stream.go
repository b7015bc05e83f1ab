package redact

import "slices"

// context is how many bytes before a place can matter to a decision about it.
const context = 64

// A Stream redacts one stream of bytes.
type Stream struct {
	set    *Set
	emit   func([]byte)
	work   []byte // context that was emitted already, then what is held
	held   int    // where in work that begins
	at     int    // where in work to search on
	skip   class  // bytes that belong to a secret already replaced
	dashes int    // in a PEM block: see endsBlock
	tables bool   // those of the set are made
	Counts map[string]int
}

// Stream returns a new Stream of the set. It calls emit with bytes that are certain; emit
// must not keep them.
func (s *Set) Stream(emit func([]byte)) *Stream { return &Stream{set: s, emit: emit} }

// To has the stream emit to another function from now on.
func (s *Stream) To(emit func([]byte)) { s.emit = emit }

// Space returns room for n bytes. If the next Write gets them, it copies nothing.
func (s *Stream) Space(n int) []byte {
	s.work = slices.Grow(s.work, n)
	return s.work[len(s.work) : len(s.work)+n]
}

// Write takes p. It holds back what may be the start of a secret, at most a few
// kilobytes.
func (s *Stream) Write(p []byte) {
	n := len(s.work)
	if len(p) > 0 && len(p) <= cap(s.work)-n && &s.work[:n+1][n] == &p[0] {
		s.work = s.work[:n+len(p)] // p is Space
	} else {
		s.work = append(s.work, p...)
	}
	s.pass(more)
}

// Flush emits the rest, and the stream ends.
func (s *Stream) Flush() { s.pass(end) }

// Settle emits what Write has held back, except for what may be the start of a secret.
// The stream may continue.
func (s *Stream) Settle() { s.pass(pause) }

// Text returns text with its secrets replaced, and how many there were of each kind.
func (s *Set) Text(text string) (string, map[string]int) {
	out := make([]byte, 0, len(text))
	st := s.Stream(func(p []byte) { out = append(out, p...) })
	st.Write([]byte(text))
	st.Flush()
	return string(out), st.Counts
}

// An outlook says what follows the bytes that have come.
type outlook int

const (
	more outlook = iota
	pause
	end
)

// short is how many bytes a whole stream may have to be looked through without the set's
// tables. To make them takes as long as thirty such looks or more, and the outputs of many
// runs are a few words.
const short = 512

// passShort emits a short stream that holds the start of no pattern, at its end. It
// reports whether there is no more to do for now.
func (s *Stream) passShort(next outlook) bool {
	if s.tables || next == pause || len(s.work) > short {
		return false
	}
	if next == end {
		if s.set.anyStart(string(s.work)) {
			return false
		}
		s.out(s.work)
		s.work = s.work[:0]
	}
	return true
}

// pass emits all that is certain, and keeps the rest.
func (s *Stream) pass(next outlook) {
	if s.passShort(next) {
		return
	}
	if !s.tables {
		s.set.once.Do(s.set.compile)
		s.tables = true
	}
	w := s.work
	from := s.skipOver(w, s.held)
	at := max(s.at, from)
	sure := 0
	for {
		// Up to maxAnchor bytes before the place may belong to a pattern that begins
		// there.
		place, anchor := s.set.find(w, at)
		if at, sure = place, max(from, place-maxAnchor); anchor == 0 {
			if next == pause {
				sure = s.begun(w, sure)
			} else if next == end {
				sure = len(w)
			}
			break
		}
		m := s.match(anchor, w, from, at, next == end)
		// What may be a secret is held back until more has come.
		if m.outcome == wait {
			break
		}
		if m.outcome == no {
			at++
			continue
		}
		s.out(w[from:m.start])
		s.out([]byte("[redacted:" + m.kind + "]"))
		s.count(m.kind)
		s.skip, s.dashes = m.skip, 0
		from = s.skipOver(w, m.end)
		at = max(at+1, from)
	}
	s.out(w[from:sure])
	// A later decision may look back at this many bytes.
	keep := max(0, sure-context)
	s.held, s.at = sure-keep, at-keep
	s.work = w[:copy(w, w[keep:])]
}

// begun returns the first index in w from sure on at which a pattern may have begun.
func (s *Stream) begun(w []byte, sure int) int {
	for ; sure < len(w); sure++ {
		for i := range s.set.all {
			if s.set.all[i].starts(w[sure:]) == wait {
				return sure
			}
		}
	}
	return sure
}

// out emits p, unless it is empty.
func (s *Stream) out(p []byte) {
	if len(p) > 0 {
		s.emit(p)
	}
}

// count counts a secret of the kind.
func (s *Stream) count(kind string) {
	if s.Counts == nil {
		s.Counts = map[string]int{}
	}
	s.Counts[kind]++
}

// skipOver returns the first index from at on that does not belong to the secret that was
// replaced last.
func (s *Stream) skipOver(w []byte, at int) int {
	for ; s.skip != 0 && at < len(w); at++ {
		c := w[at]
		if !is(c, s.skip) {
			s.skip = 0
			return at
		}
		if s.skip == pem && s.endsBlock(c) {
			s.skip = 0
			return at + 1
		}
	}
	return at
}

// match looks for a secret of one of the patterns, whose anchor is at index at, in w from
// from on. final says that the stream ends, so that nothing can be waited for.
func (s *Stream) match(anchor uint32, w []byte, from, at int, final bool) match {
	for p := range s.set.of(anchor) {
		start := at - p.anchor
		if start < from {
			continue
		}
		m := match{outcome: p.starts(w[start:])}
		if m.outcome == yes {
			m = p.matchAt(w, start, final)
			m.kind = p.kind
		}
		if m.outcome == yes || m.outcome == wait && !final {
			return m
		}
	}
	return match{}
}
