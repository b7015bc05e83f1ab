package main

import (
	"time"

	runs "ua/internal/common/run"
)

// Limits of what ua-try remembers of a command and says about it.
const (
	// changedMax bounds how many changed files are remembered: as many as a large
	// repository has.
	changedMax = 1 << 18
	// outsideMax bounds how many paths outside of the covered folders are remembered.
	outsideMax = 4096
	// fewPaths is how many of them a person is shown.
	fewPaths = 4
	// fewAddresses is how many of the addresses that a command has contacted are shown.
	fewAddresses = 4
)

// grace is how long the processes that a command left behind have to end before they
// count as running on.
const grace = 100 * time.Millisecond

// lockWait is how long a verb waits for a try that is in use.
const lockWait = time.Second

// Defaults where neither options nor settings say otherwise (ua-try(1)).
const (
	defaultKeep     = 7 * 24 * time.Hour // of an applied try
	defaultKeepSize = 1 << 30            // bytes of all applied tries
	defaultTry      = runs.Last          // the operand of a verb that takes one
)
