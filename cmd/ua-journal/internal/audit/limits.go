package audit

// maxEntry is the longest line of the audit log with its newline, in bytes: a
// write of less than a page reaches the file in one piece.
const maxEntry = 4000

// A subagent's journal lies where the subagent can write: what is read of it is
// bounded, and nothing in it ends the parent's journal.
const (
	maxDepth = 8         // of subagents of subagents
	maxAdopt = 256 << 20 // bytes of one journal
)
