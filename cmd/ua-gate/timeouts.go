package main

import "time"

// trialLimit is how long an agent may take in a trial of its hook.
const trialLimit = 2 * time.Minute

// restTime is how long the gate waits for the end of an answer that the person has cut
// off.
const restTime = 2 * time.Second

// lastWords is how long the gate waits for the end of what a hook has said. A process that
// the hook has left behind may hold it open.
const lastWords = 200 * time.Millisecond

// behind and firstBehind are how long a question waits for what the model has said before
// it. That comes to the terminal through all later stages, which may still be starting at
// the first question.
const (
	behind      = 100 * time.Millisecond
	firstBehind = 400 * time.Millisecond
)

// unseenYet is how long a question stands before a key can answer it. Nobody reads one
// faster, and a key that comes sooner was on its way before.
const unseenYet = 300 * time.Millisecond

// nextTurn is how long a gate waits between two looks at whether the question of another
// one on the same terminal is answered, or the terminal is this job's again.
const nextTurn = 100 * time.Millisecond
