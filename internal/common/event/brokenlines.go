package event

// maxSingle is how many broken lines of a stream get an error event each. 64 MB can hold
// 22 million of them, and every error is kept in the journal.
const maxSingle = 128

// BrokenLines counts the lines of a stream that are no events. Each of the first
// maxSingle gets its own error event. After those, one event stands for a quarter of all
// so far, and Rest for those at the end. The zero value is ready for use.
type BrokenLines struct {
	seen, before int64
	last         Malformed
}

// Add takes a broken line. It returns the error that is due, or nil if the line waits to
// be reported with others.
func (b *BrokenLines) Add(bad *Malformed) *Malformed {
	b.seen++
	if b.seen > maxSingle && b.before+1 < b.seen/4 {
		b.last = *bad
		b.before++
		return nil
	}
	due := &Malformed{Offset: bad.Offset, Why: bad.Why, Before: b.before}
	b.before = 0
	return due
}

// Rest returns the error for the lines that still wait, or nil.
func (b *BrokenLines) Rest() *Malformed {
	if b.before == 0 {
		return nil
	}
	due := b.last
	due.Before, b.before = b.before-1, 0
	return &due
}
