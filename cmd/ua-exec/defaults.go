package main

import (
	"time"

	"ua/internal/common/prompt"
	"ua/internal/common/verdict"
)

// The defaults of the options (ua-exec(1)).
const (
	defaultJobs       = 1
	defaultTimeout    = prompt.CommandTimeout // the model is told of it
	defaultTimeoutMax = 30 * time.Minute
	defaultIdle       = 0 // never
	defaultGrace      = 2 * time.Second
	defaultOutputMax  = 32 << 10 // bytes in a result
	defaultFileMax    = 2 << 30  // bytes of a longer output in a file
	defaultDirMax     = 8 << 30  // bytes in all these files
	defaultCallsMax   = 100      // in one turn
	defaultPidsMax    = 4096     // processes and threads of one command
	defaultProfileMax = string(verdict.ProfileNone)
)
