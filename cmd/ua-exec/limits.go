package main

// maxAhead is how many bytes of lines the stage reads ahead while a command
// runs in front of them. Past it the programs before this one wait.
const maxAhead = 80 << 20

// Bounds of what is kept of lines that come before their call, of one answer.
const (
	earlyMax   = 10000   // calls
	earlyBytes = 4 << 20 // of their ids and reasons
)

// What an item of the queue takes beside its bytes.
const (
	itemBytes = 128
	jobBytes  = 2048 // a call on its way, its verdict and its result
)

// Bounds of the socket of jobs.
const (
	controlSlots = 16      // requests at once
	controlShare = 12      // of them, those of one command
	controlWait  = 256     // requests that wait for one of the same command to end
	controlOpen  = 64      // connections that have not sent one
	controlJobs  = 64      // commands in the background that run at once
	requestMax   = 1 << 20 // bytes of a request
)

// leastOutput is how many bytes a result must have room for.
const leastOutput = 1024

// networkShare is the part of the output that is kept of a command with the network: what
// it has fetched is anyone's text.
const networkShare = 3

// Bounds of what a result quotes of an output as the likely cause of a failure.
const (
	causeLines = 5
	causeBytes = 200 // of each
)

// ownThreads is how many processes and threads ua-exec needs, with its supervisor and a command.
const ownThreads = 40
