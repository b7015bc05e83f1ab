package ring

import (
	"time"

	"ua/internal/common/event"
)

// bigText is the size in bytes from which a text on stdin goes into a file of the run.
// The model then gets its beginning, its end and the path, since the whole text costs
// money.
const bigText = 100 << 10

// excerpt is how many bytes of each end the model gets.
const excerpt = 4 << 10

// questionsPerTurn is how many questions commands may ask for each turn that a run may have,
// if the user has not limited its turns.
const questionsPerTurn = 3

// newLooks is how many folders of subagents that have not begun are looked at in one
// round.
const newLooks = 100

// lookEvery is how often the record of a new job is looked for.
const lookEvery = 10 * time.Millisecond

// keptMax is how many jobs of a run may outlive it.
const keptMax = 16

// driverPatience is how long a command waits for an answer of its run's driver.
const driverPatience = recallTime + 15*time.Second

// maxNotices is how many notices of a kind the model, and the person, read in a turn. A
// command can cause any number of them, and the conversation has little room.
const maxNotices = 8

// holdsBack is how long the pipe may be silent before a stage is suspected to hold back.
const holdsBack = 10 * time.Second

// promptRoom is how many tokens of a request are left for the prompt and the tools,
// besides the conversation.
const promptRoom = 4096

// agentsMax is how many subagents the journal tells of. A command can make any number of
// folders that look like one.
const agentsMax = 1000

// agentsBytes is how many bytes of subagents' journals a run reads, which commands can write.
const agentsBytes = 1 << 30

// resultMax is how many bytes of a subagent's answer the parent's model gets.
const resultMax = 16 << 10

// recallTime is how long looking for words may take, and recallsMax how often commands of a run
// may ask.
const (
	recallTime = time.Minute
	recallsMax = 200
)

// answerMax is the longest answer of a run's driver, in bytes.
const answerMax = 4 << 20

// wakeLines and wakeBytes are how much of a job's output the model gets when the job wakes it.
const (
	wakeLines = 40
	wakeBytes = 4 << 10
)

// copyTime is how long the copy of a try may take: a turn waits for it.
const copyTime = 10 * time.Second

// copiesMax is how many bytes of files all copies of a run's try hold at most: each has all that
// the try has changed so far.
const copiesMax = 512 << 20

// surroundingsMax is how many bytes the model is told about where it is.
const surroundingsMax = 400

// tierTime is how long the sandbox may take to exist.
const tierTime = 2 * time.Second

// longest is the longest event of a task, in bytes. The first line of the run has more
// than the task's text, and has to fit into a line, too.
const longest = event.MaxLine - 64<<10

// watchEvery is how often the stages are looked at.
const watchEvery = time.Second

// entriesMax is how many bytes of a journal are searched for the run's first events.
const entriesMax = 4 * event.MaxLine

// looksAt is how many files and folders are looked at to say how many a run has changed: some
// 10 ms.
const looksAt = 5000
