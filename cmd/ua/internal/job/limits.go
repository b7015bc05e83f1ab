package job

import "time"

// patience is how long to wait for an answer, and replyMax how long it may be, in bytes.
// A command may be the one that answers.
const (
	patience = 15 * time.Second
	replyMax = 1 << 20
)

// recordMax is the longest record that is read, in bytes, and recordsMax the total for a
// folder. Commands can write any number of records below the folder of subagents.
const (
	recordMax  = 4 << 20
	recordsMax = 64 << 20
)
