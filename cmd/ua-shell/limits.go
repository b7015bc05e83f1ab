package main

import (
	"time"

	"ua/internal/common/config"
)

// silence is how long a shell may take to print a mark before it counts as one that
// prints none. If one comes later, it still counts.
const silence = 2 * time.Second

// grace is how long a shell may take to end after its terminal is gone.
const grace = 2 * time.Second

// The options' defaults (ua-shell(1)).
const (
	defaultLines      = 200 // of the session that the model is told
	defaultAskTimeout = config.AskTimeout
)
