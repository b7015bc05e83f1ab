package main

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
