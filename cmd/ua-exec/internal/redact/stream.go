package redact

// context is how many bytes before a place a verdict on it may look at.
const context = 64

// A Stream redacts one stream.
type Stream struct {
	set    *Set
	work   []byte // context that was given back already, then what is held
	held   int    // where in work that begins
	skip   class  // bytes that belong to a secret already replaced
	dashes int    // in a PEM block: the run of dashes, and 5 more for each whole one
	Counts map[string]int
}

// Stream returns a new Stream of the set.
func (s *Set) Stream() *Stream {
	s.once.Do(s.compile)
	return &Stream{set: s}
}

// Append appends to dst what is sure of the stream with p behind it. It holds
// back what may be the start of a secret, at most a few kilobytes.
func (s *Stream) Append(dst, p []byte) []byte {
	s.work = append(s.work, p...)
	return s.pass(dst, more)
}

// Flush appends the rest to dst. The stream ends here.
func (s *Stream) Flush(dst []byte) []byte { return s.pass(dst, end) }

// Settle appends to dst what Append held back, but not what has begun to look
// like a secret. The stream may go on.
func (s *Stream) Settle(dst []byte) []byte { return s.pass(dst, pause) }

// What comes behind the bytes at hand.
type outlook int

const (
	more outlook = iota
	pause
	end
)

// Text is text with its secrets replaced.
func (s *Set) Text(text string) (string, map[string]int) {
	st := s.Stream()
	out := st.Append(make([]byte, 0, len(text)), []byte(text))
	return string(st.Flush(out)), st.Counts
}

func (s *Stream) pass(dst []byte, next outlook) []byte {
	w := s.work
	from := s.skipOver(w, s.held)
	at := from
	for {
		place, bucket := s.set.find(w, at)
		if at = place; bucket == nil {
			if next != more {
				at = len(w)
			}
			break
		}
		m := s.match(bucket, w, at, next == end)
		if m.outcome == wait {
			break
		}
		if m.outcome == no {
			at++
			continue
		}
		dst = append(append(dst, w[from:m.start]...), "[redacted:"+m.kind+"]"...)
		s.count(m.kind)
		s.skip, s.dashes = m.skip, 0
		from = s.skipOver(w, m.end)
		at = from
	}
	at = max(at, from)
	dst = append(dst, w[from:at]...)
	keep := max(0, at-context)
	s.held = at - keep
	s.work = w[:copy(w, w[keep:])]
	return dst
}

func (s *Stream) count(kind string) {
	if s.Counts == nil {
		s.Counts = map[string]int{}
	}
	s.Counts[kind]++
}

// skipOver is the first place from at on that does not belong to the secret
// that was replaced last.
func (s *Stream) skipOver(w []byte, at int) int {
	for ; s.skip != 0 && at < len(w); at++ {
		c := w[at]
		if s.set.classes[c]&s.skip == 0 {
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

// endsBlock says whether c is the last dash of a PEM block's END line: the
// fifth of the second run of five.
func (s *Stream) endsBlock(c byte) bool {
	switch {
	case c == '-':
		s.dashes++
	case s.dashes < 5:
		s.dashes = 0
	default:
		s.dashes = 5
	}
	return s.dashes == 10
}

type outcome int

const (
	no   outcome = iota
	wait         // more of the stream is needed
	yes
)

// A match is a secret: w[start:end], and behind it all bytes of the class skip.
type match struct {
	outcome    outcome
	kind       string
	start, end int
	skip       class
}

// match looks for a secret at the place. When the stream is at its end there is
// nothing to wait for.
func (s *Stream) match(bucket []*pattern, w []byte, at int, final bool) match {
	for _, p := range bucket {
		m := match{outcome: p.starts(w[at:])}
		if m.outcome == yes {
			m = s.verify(p, w, at, final)
			m.kind = p.kind
		}
		if m.outcome == yes || m.outcome == wait && !final {
			return m
		}
	}
	return match{}
}
