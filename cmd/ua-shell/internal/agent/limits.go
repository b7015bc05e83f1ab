package agent

import "time"

// mostCommands is how many commands that the user ran are kept for the model.
const mostCommands = 20

// slow is how long a shell may take to run a line that it was given.
const slow = 10 * time.Second

// MaxHeld is how much of what is typed during a turn is kept for the prompt: more
// than anybody types or pastes.
const MaxHeld = 4 << 20

// toWait is how long a shell may take, from its mark on, to wait for an answer.
const toWait = 2 * time.Second

// settles is how long a shell may take, from its mark on, to give the terminal the
// modes that a command finds.
const settles = 100 * time.Millisecond

// longest is how many characters of a command a question shows; the rest comes
// with m.
const longest = 2000

// plannedRisks is how many commands of a plan are shown with their risk: the gate is
// started for each of them before the question appears.
const plannedRisks = 20
