package audit

// maxRecord is the longest line of the audit log, in bytes with its newline. A write of
// less than a page reaches the file in one piece.
const maxRecord = 4000

// Limits on a subagent's journal. The subagent can write it, so only a part of it is
// read, and nothing in it ends the parent's journal.
const (
	maxDepth = 8         // of subagents of subagents
	maxAdopt = 256 << 20 // bytes of one journal
)
