package broker

import "time"

const (
	// requestMax bounds a request in bytes: exec(2) takes no larger command and
	// environment.
	requestMax = 8 << 20
	// partMax is the size of one variable that carries a part of the command: exec(2)
	// takes no string above 128 KiB.
	partMax = 100 << 10
	// maxOpen is how many connections there are that have not sent a whole request.
	maxOpen = 32
	// maxWait is how many requests wait for others of their command to end.
	maxWait = 128
)

// Times that the server allows.
const (
	// young is how long a new connection gives way to nobody.
	young       = 20 * time.Millisecond
	requestTime = 5 * time.Second        // for a request to come, and for an answer to be taken
	endTime     = time.Second            // for a command to end before it is killed
	pause       = 100 * time.Millisecond // for a last answer, or a free descriptor
)
