package main

import (
	"time"

	"ua/internal/common/event"
	"ua/internal/common/verdict"
)

// maxAhead is how many bytes of lines the stage reads ahead while a command before them
// runs. Beyond that, the programs before this one wait.
const maxAhead = 80 << 20

// What an item of the queue uses besides its bytes.
const (
	itemBytes = 128
	jobBytes  = 2048 // a call on its way, its verdict and its result
)

// Limits of the socket of jobs.
const (
	controlSlots = 16      // requests at once
	controlShare = 12      // of them, those of one command
	controlWait  = 256     // requests that wait for one of the same command to end
	controlOpen  = 64      // connections that have not sent one
	wakeMax      = 1000    // bytes of a pattern of --wake
	wakeLine     = 4 << 10 // of a line that it is compared with
	controlJobs  = 64      // commands in the background that run at once
	requestMax   = 1 << 20 // bytes of a request
)

// leastOutput is the smallest limit on the output of a result, in bytes.
const leastOutput = 1024

// networkShare says which part of the output is kept of a command with network access:
// one third. What it has fetched is anyone's text.
const networkShare = 3

// Limits on what a result quotes from an output as the likely cause of a failure.
const (
	causeLines = 5
	causeBytes = 200 // of each
)

// ownThreads is how many processes and threads ua-exec needs, with its supervisor and one
// command.
const ownThreads = 40

// recentMax is how many bytes of a command's output the newest line is looked for in. A PEM
// block, which is known as a secret by its first line, fits.
const recentMax = 8 << 10

// The defaults of the options (ua-exec(1)).
const (
	defaultJobs       = 1
	defaultTimeout    = event.CommandTimeout // the model is told of it
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

// drainTime is how long the last output of a background command may take to get into its
// log. A process that is no descendant could hold the pipe open.
const drainTime = 5 * time.Second

// hurry is the longest grace period once the run was told to end. It is halved for each
// run above, at most hurryHalved times.
const (
	hurry       = 400 * time.Millisecond
	hurryHalved = 3
)

// killTime is how long a shell may take to be gone after SIGKILL.
const killTime = 5 * time.Second

// lastWords is how long the earlier stages may take, after a signal has ended the run, to
// write what they have and to close the pipe. A response that ua-think has begun must not
// be lost because this stage has ended first.
const lastWords = 700 * time.Millisecond

// writeTime is how long the reader of our output may take for the results that are there
// when the run has ended.
const writeTime = 2 * time.Second

// stragglers is how long processes that the shell left behind, such as a tee in a process
// substitution, may take to end their output.
const stragglers = 100 * time.Millisecond

// progressEvery is how often the newest line of a running command's output is passed on.
const progressEvery = 300 * time.Millisecond

// requestTime is how long a request at the socket of jobs may take to come, and how long
// the proof of a right may take.
const requestTime = time.Second

// controlYoung is the age at which a connection to the socket of jobs begins to give way
// to others.
const controlYoung = 20 * time.Millisecond
