package main

import "time"

// maxReadings is how many readings of another agent's tool call are judged, each for
// itself.
const maxReadings = 32

// maxInput is how many bytes a command or a hook's input on stdin may have.
const maxInput = 64 << 20

// maxAnswer is how many bytes the answer of a hook or judge may have.
const maxAnswer = 1 << 20

// maxTrialBody is how many bytes an agent's request to the test model may have.
const maxTrialBody = 32 << 20

// maxInputDepth is how deep objects and lists in the input of another agent's tool are read for
// what it runs.
const maxInputDepth = 32

// trialLimit is how long an agent may take in a trial of its hook.
const trialLimit = 2 * time.Minute

// lastWords is how long the gate waits for the end of what a hook has said. A process that
// the hook has left behind may hold it open.
const lastWords = 200 * time.Millisecond
