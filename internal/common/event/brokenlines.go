package event

// maxSingle is how many broken lines of a stream are each told of by an event of their own:
// 64 MB can hold 22 million, and every error is kept in a journal.
const maxSingle = 128

// BrokenLines are the lines of a stream that are no events. Each of the first maxSingle is
// to have its error event; of those after them one stands for a quarter of all that there
// were, and Rest for those at the end. The zero value is ready.
type BrokenLines struct {
	seen, before int64
	last         Malformed
}

// Add takes up a broken line. It returns the error that is due, or nil while the line
// waits to be told of with others.
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

// Rest returns the error for the lines that wait to be told of, or nil.
func (b *BrokenLines) Rest() *Malformed {
	if b.before == 0 {
		return nil
	}
	due := b.last
	due.Before, b.before = b.before-1, 0
	return &due
}
