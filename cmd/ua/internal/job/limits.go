package job

import "time"

// patience is how long an answer is waited for, and replyMax how long it may be, in bytes:
// whoever keeps the job may be a command.
const (
	patience = 15 * time.Second
	replyMax = 1 << 20
)

// recordMax is the longest record that is read, in bytes, and recordsMax all those of a
// folder together: commands can write any number of them below that of subagents.
const (
	recordMax  = 4 << 20
	recordsMax = 64 << 20
)
