package runlimits

import (
	"fmt"

	"ua/internal/common/style"
)

// Result counts a command's result.
func (c *Count) Result(denied bool) {
	c.results++
	if denied {
		c.denied++
	}
}

// Answered is called once all commands of an answer have their results. It returns why
// the run should end when the model keeps asking for what is denied, or "". reason is
// that of the last verdict.
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

// maxDenials is how many answers in a row with nothing but denied commands end the run. A
// model that tries one forbidden thing after the other, or the same one again, is not
// going to get it. The commands of one answer count once, since the model learns of no
// denial before it has sent them all.
const maxDenials = 3
