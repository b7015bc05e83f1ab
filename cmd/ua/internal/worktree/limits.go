package worktree

import "time"

// staleAfter is the age from which a work tree is removed.
const staleAfter = 7 * 24 * time.Hour

// dueAfter is the time between two such removals.
const dueAfter = 24 * time.Hour
