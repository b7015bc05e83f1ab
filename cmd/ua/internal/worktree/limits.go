package worktree

import "time"

// staleAfter is how old a work tree must be that is removed.
const staleAfter = 7 * 24 * time.Hour

// dueAfter is how long nothing is removed after the last time.
const dueAfter = 24 * time.Hour
