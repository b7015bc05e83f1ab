package main

import (
	"time"

	runs "ua/internal/common/run"
)

// Defaults where neither options nor settings say otherwise (ua-try(1)).
const (
	defaultKeep     = 7 * 24 * time.Hour // of an applied try
	defaultKeepSize = 1 << 30            // bytes of all applied tries
	defaultTry      = runs.Last          // the operand of a verb that takes one
)
