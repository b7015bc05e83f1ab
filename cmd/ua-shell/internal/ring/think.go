package ring

import (
	"os"
	"strconv"
	"syscall"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/regular"
	"ua/internal/common/stage"
)

// promptRoom is how many tokens of a request are left for the prompt and the tools,
// besides the conversation.
const promptRoom = 4096

// ask has ua-think ask the model. A new ua-think first gets the conversation, as
// `ua-journal read` prints it.
func (r *Ring) ask(turn []byte) error {
	info, err := os.Stat(r.Run.Journal())
	if err != nil {
		return err
	}
	cut := journal.Cut(info.Size(), r.Context)
	switch {
	case !r.think.alive():
		if r.think, err = r.startThink(); err != nil {
			return err
		}
		err = r.recall(info.Size())
	// The conversation has outgrown its share, and a shorter one takes its place.
	case cut != r.cut:
		err = r.recall(info.Size())
	}
	r.cut = cut
	r.think.in.Put(turn)
	return err
}

// startThink starts ua-think, or the configured line in its place.
func (r *Ring) startThink() (*member, error) {
	args := append([]string{"--quiet", "--context-tokens", strconv.Itoa(r.Context + promptRoom)},
		r.Think...)
	if r.Effort != "" {
		args = append(args, "--effort", r.Effort)
	}
	c, err := stage.Builtin("ua-think", args...)
	if r.ThinkLine != "" {
		c, err = stage.Custom("ua-think", r.ThinkLine), nil
	}
	if err != nil {
		return nil, err
	}
	return start(c, r.Post, r.heard, r.says("ua-think"), r.end)
}

// recall gives ua-think the conversation again.
func (r *Ring) recall(size int64) error {
	f, err := regular.Open(r.Run.Journal())
	if err != nil {
		return err
	}
	defer f.Close()
	lines, err := journal.Conversation(f, size, r.Context, func(err error) {
		r.Said("ua-journal", err.Error())
	})
	for _, line := range lines {
		r.think.in.Put(line)
	}
	return err
}

// heard takes what ua-think says to the journal. Events that only other stages may write
// are dropped: a verdict is the gate's, whatever runs in ua-think's place.
func (r *Ring) heard(line []byte) {
	switch event.Type(line) {
	case "ask", "answer", "verdict", "tool_result", "turn", "instruction", "system", "run":
		return
	}
	if err := r.append(line); err != nil {
		r.Lost("ua-journal", err.Error())
	}
}

// Interrupt cuts off the answer that is being streamed. What is put from now on waits
// until ua-think has ended.
func (r *Ring) Interrupt() {
	r.cancelled = r.asked
	r.think.signal(syscall.SIGINT)
	if r.think.alive() && !r.ending {
		r.ending = true
		r.think.in.End()
		old := r.think
		// A ua-think that does not end would keep the next question waiting.
		time.AfterFunc(3*time.Second, func() { r.Post(func() { old.signal(syscall.SIGKILL) }) })
	}
}
