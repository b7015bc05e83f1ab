package agent

import "time"

// mostCommands is how many of the commands that the user ran are kept for the model.
const mostCommands = 20

// slow is how long a shell may take to run a line that was typed.
const slow = 10 * time.Second

// maxHeld is how many bytes that are typed during a turn are kept for the prompt: more
// than anybody types or pastes.
const maxHeld = 4 << 20

// toWait is how long after its mark a shell may take until it waits for an answer.
const toWait = 2 * time.Second

// settles is how long after its mark a shell may take to set the terminal's modes for a
// command.
const settles = 100 * time.Millisecond

// unseenYet is how long a question stands, and how long nothing is typed, before a key can
// answer it. Nobody reads one faster.
const unseenYet = 300 * time.Millisecond

// longest is how many characters of a command a question shows. [v] shows the rest.
const longest = 2000

// plannedRisks is how many commands of a plan are shown with their risk. The gate is
// started for each of them before the question appears.
const plannedRisks = 20
