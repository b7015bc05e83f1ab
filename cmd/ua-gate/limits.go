package main

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

// maxKinds is how many kinds of command one answer allows for the session. The help shows
// the names of all of them.
const maxKinds = 8
