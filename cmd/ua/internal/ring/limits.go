package ring

import (
	"time"

	"ua/internal/common/event"
)

// bigText is from how many bytes on a text on stdin goes into a file of the run's,
// and the model gets its beginning, its end and the path: it costs money whole.
const bigText = 100 << 10

// excerpt is how many bytes of each end the model gets.
const excerpt = 4 << 10

// newLooks is how many folders of subagents that have not begun are looked at at once.
const newLooks = 100

// lookEvery is how often a new job's record is looked for.
const lookEvery = 10 * time.Millisecond

// keptMax is how many jobs of a run may outlive it.
const keptMax = 16

// keptPatience is how long a command waits until the driver has seen its file.
const keptPatience = 15 * time.Second

// maxNotices is how many notices of a kind the model reads in a turn, and the person: a
// command can make any number of them, and the conversation has little room.
const maxNotices = 8

// holdsBack is how long the pipe may give nothing before a stage is suspected.
const holdsBack = 10 * time.Second

// promptRoom is how many tokens of a request the prompt and the tools may take beside
// the conversation.
const promptRoom = 4096

// agentsMax is how many subagents the journal tells of: a command can make any
// number of folders that look like one.
const agentsMax = 1000

// resultMax is how much of a subagent's answer its parent's model is told, in
// bytes.
const resultMax = 16 << 10

// surroundingsMax is how many bytes the model is told about where it is.
const surroundingsMax = 400

// tierTime bounds the wait for the sandbox to stand.
const tierTime = 2 * time.Second

// longest is how long the event of a task may be: the run's first line, which
// has more beside the task's text, has to fit into a line too.
const longest = event.MaxLine - 64<<10

// watchEvery is how often the stages are looked at.
const watchEvery = time.Second
