package main

import "time"

// maxReadings is how many readings of another agent's tool call are judged, each for
// itself.
const maxReadings = 32

// maxInput is how many bytes a command or a hook's input on stdin may have.
const maxInput = 64 << 20

// maxElsewhere is how many gates for other folders are kept.
const maxElsewhere = 64

// maxPolicy is how many bytes a policy file may have.
const maxPolicy = 1 << 20

// maxAnswer is how many bytes the answer of a hook or judge may have.
const maxAnswer = 1 << 20

// maxTrialBody is how many bytes an agent's request to the test model may have.
const maxTrialBody = 32 << 20

// maxText is how many bytes of a part's text a verdict shows.
const maxText = 256

// maxInputDepth is how deep objects and lists in the input of another agent's tool are read for
// what it runs.
const maxInputDepth = 32

// maxGitConfig is how many bytes of git's settings are read for the hosts of remotes.
const maxGitConfig = 1 << 20

// maxEffects is how many effects a verdict tells.
const maxEffects = 32

// maxKinds is how many kinds of command one answer allows for the session. The help shows
// the names of all of them.
const maxKinds = 8

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
