package main

import "time"

// trialLimit is how long an agent may take over its one call.
const trialLimit = 2 * time.Minute

// restTime is how long the gate waits for the end of an answer that the person has cut off.
const restTime = 2 * time.Second

// behind and firstBehind are how long a question waits for the words that the
// model said before it, which come to the terminal by way of all later stages; at
// the first question those may still be starting.
const (
	behind      = 100 * time.Millisecond
	firstBehind = 400 * time.Millisecond
)
