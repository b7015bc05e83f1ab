package main

import (
	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/run"
)

// The options' defaults (ua-journal(1)).
const (
	defaultTail = 10 // lines
	defaultSync = store.SyncTurns
	defaultRun  = run.Last // the operand of a verb that reads one run
)
