package main

import (
	"time"

	runs "ua/internal/common/run"
	"ua/internal/common/verdict"
)

// Defaults where neither options nor settings say otherwise (ua-try(1)).
const (
	defaultKeep     = 7 * 24 * time.Hour // of an applied try
	defaultKeepSize = 1 << 30            // bytes of all applied tries
	defaultAtOnce   = 16                 // tries of one serve at a time
	defaultTry      = runs.Last          // the operand of a verb that takes one

	defaultProfileMax = string(verdict.ProfileWorkspace) // of the tries of a serve
)
