package main

import "time"

// drainTime is how long the last output of a background command may take to get into
// its log. Something that is no descendant could hold the pipe open.
const drainTime = 5 * time.Second

// hurry is the longest grace once the run was told to end.
const hurry = 400 * time.Millisecond

// lastWords is how long the earlier stages may take, once a signal has ended the
// run, to write what they have and close the pipe: a response that ua-think had
// begun must not be lost because this stage is gone first.
const lastWords = 700 * time.Millisecond

// writeTime is how long whoever reads our output may take for the results that are there
// when the run has ended.
const writeTime = 2 * time.Second

// stragglers is how long what the shell left behind, such as a tee in a process
// substitution, may still take to end its output.
const stragglers = 100 * time.Millisecond

// joinWait is how long a call that has a verdict waits for one more, or for an
// answer, while no line is there: a stage between the gate and this one may write
// its own a moment after the gate's. With --one-gate nothing is waited for.
const joinWait = 50 * time.Millisecond

// requestTime is how long a request at the socket of jobs may take to come, and the proof of
// a right.
const requestTime = time.Second

// controlYoung is how long a new connection to the socket of jobs gives way to nobody.
const controlYoung = 20 * time.Millisecond

// spareAfter is how long a command runs before the spare threads are made.
const spareAfter = 10 * time.Millisecond
