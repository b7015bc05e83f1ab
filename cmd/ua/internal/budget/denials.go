package budget

import (
	"fmt"

	"ua/internal/common/style"
)

// maxDenials is how many answers in a row, with nothing but denied commands, end the run: a
// model that tries one forbidden thing after the other, or the same one, is not going to get
// it. The commands of one answer count once, as it hears of none before it has sent them all.
const maxDenials = 3

// Result counts a command's result.
func (c *Count) Result(denied bool) {
	c.results++
	if denied {
		c.denied++
	}
}

// Answered counts an answer whose commands all have their results, and says why no more is
// wanted from a model that does not take no for an answer, or "". The reason is that of the
// last verdict.
func (c *Count) Answered(reason string) (why string) {
	switch {
	case c.denied < c.results:
		c.denials = 0
	case c.results > 0:
		c.denials++
	}
	c.results, c.denied = 0, 0
	if c.denials < maxDenials {
		return ""
	}
	return fmt.Sprintf("all commands of %d answers in a row were denied; the last: %s", c.denials,
		style.FirstLine(reason, 200))
}
