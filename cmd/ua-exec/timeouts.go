package main

import "time"

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
