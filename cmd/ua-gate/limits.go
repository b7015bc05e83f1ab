package main

// maxReadings bounds what a tool call of another agent may run: each of its texts is judged.
const maxReadings = 32

// maxInput is how many bytes a command or a hook's input on stdin may have.
const maxInput = 64 << 20

// maxSaid bounds the calls of one turn of which a late verdict is still heeded.
const maxSaid = 1000

// maxElsewhere bounds the gates that are kept for other folders.
const maxElsewhere = 64

// maxPolicy is how many bytes a policy file may have.
const maxPolicy = 1 << 20

// maxAnswer is how many bytes a hook or judge may say.
const maxAnswer = 1 << 20

// maxTrialBody is how many bytes a request of an agent may have whose hook is checked.
const maxTrialBody = 32 << 20

// maxText is how many bytes of a part's text a verdict shows.
const maxText = 256
