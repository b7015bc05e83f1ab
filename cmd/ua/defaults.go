package main

import (
	"time"

	"ua/internal/common/jobs"
	"ua/internal/common/run"
)

// The options' defaults, but those of a run (ua(1)).
const (
	defaultRun      = run.Last         // the operand of a verb that shows a run
	defaultJobLines = jobs.RingLines   // lines of ua job out: all that are kept
	defaultGrace    = 10 * time.Second // ua stop waits for a run to end by itself
	defaultJobGrace = 2 * time.Second  // ua job stop waits for a job to end by itself
)
