package agentloop

import (
	"bytes"
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/safefile"
	"ua/internal/common/stage"
	"ua/internal/common/xdg"
)

// A pipe is the programs of a run: think | gate | exec, and the journal's writer, which reads
// what comes out of them. What the writer has kept comes back.
type pipe struct {
	stages    []*stage.Stage // think, gate, exec …, in the pipe's order
	watcher   *stage.Stage   // ua-gate watch, before the writer; nil without hooks for it
	keeper    *stage.Stage   // ua-journal, the writer
	toThink   *event.Outbox
	toJournal *event.Outbox
	kept      chan []byte       // lines that the journal has kept; closed at its end
	ended     chan *stage.Stage // stages that have ended
	mark      string            // follows the last line of the stages
	watch     stage.Watch
	entries   [][]byte // the run's first events, until the journal has them
	before    int64    // bytes of a resumed run's journal before them
}

// newPipe returns a pipe whose programs are not started.
//
// The mark is a delta, which the journal passes on without keeping it, and in its order:
// everything before the mark has been kept when it comes back. It is random, so no stage can
// forge it.
func newPipe() pipe {
	return pipe{kept: make(chan []byte, 64), ended: make(chan *stage.Stage, 8),
		mark: `{"type":"delta","kind":"end","mark":"` + rand.Text() + `"}`}
}

// startKeeper starts the journal's writer.
func (p *pipe) startKeeper(c stage.Command) error {
	in, out, err := stage.Pipes()
	if err != nil {
		return err
	}
	p.toJournal = event.OutboxTo(in.W)
	if watched() {
		if in.R, err = p.startWatcher(in.R); err != nil {
			return err
		}
	}
	if p.keeper, err = c.Start(in.R, out.W, p.ended); err != nil {
		return err
	}
	go func() {
		defer close(p.kept)
		stage.Lines(out.R, c.Name, func(line []byte) { p.kept <- line })
	}()
	return nil
}

// watched reports whether the user's policy has hooks that ua-gate watch runs.
func watched() bool {
	text, err := safefile.Read(safefile.Follow(filepath.Join(xdg.Config(), "policy.toml")), 16<<20)
	return err == nil && regexp.MustCompile(watchedHooks).Match(text)
}

// watchedHooks matches every table of hooks except pre_exec, which ua-gate itself runs.
const watchedHooks = `(?m)^\s*\[\[\s*hooks\s*\.\s*(post_exec|session_|subagent_)`

// startWatcher starts ua-gate watch in front of the journal's writer. What its hooks
// change in a result is then what is kept and what the model sees.
func (p *pipe) startWatcher(in *os.File) (*os.File, error) {
	c, err := stage.Builtin("ua-gate", "watch")
	if err != nil {
		return nil, err
	}
	between, err := stage.Pipe()
	if err != nil {
		return nil, err
	}
	if p.watcher, err = c.Start(in, between.W, nil); err != nil {
		return nil, err
	}
	return between.R, nil
}

// start starts think | gate | exec and gives each line of their output to take. The model can
// be asked as soon as the first one runs, and the last one takes the longest to stand. Each is
// started with both its ends; Start closes them here, so that every end of a pipe is seen on
// the other side.
func (p *pipe) start(commands []stage.Command, take func([]byte)) (err error) {
	p.stages = make([]*stage.Stage, len(commands))
	ends := make([]stage.Ends, len(commands)+1) // those that lead into each, and out of the last
	for i := range ends {
		if ends[i], err = stage.Pipe(); err != nil {
			return err
		}
	}
	// The last one first: a sandbox takes longest until it stands.
	for i, c := range slices.Backward(commands) {
		if p.stages[i], err = c.Start(ends[i].R, ends[i+1].W, p.ended); err != nil {
			return err
		}
	}
	p.toThink = event.OutboxTo(ends[0].W)
	out := ends[len(commands)].R
	go func() {
		stage.Lines(out, commands[len(commands)-1].Name, take)
		// Last of all, also when the pipe ends early.
		p.toJournal.Put([]byte(p.mark))
	}()
	return nil
}

// enter puts one of the run's first events into the journal.
func (p *pipe) enter(line []byte) {
	p.entries = append(p.entries, line)
	p.toJournal.Put(line)
}

// entriesMax is how many bytes of a journal are searched for the run's first events.
const entriesMax = 4 * event.MaxLine

// unwritten returns those of the first events that the journal's writer has lost: a signal
// to all of a run may end it before it reads, or does anything about signals. Without them
// the record would not say what was asked.
func (p *pipe) unwritten(journal string) (lost [][]byte) {
	if len(p.entries) == 0 || p.refusedByHook() {
		return nil
	}
	f, err := safefile.Open(journal)
	if err != nil {
		return p.entries // there is no journal yet
	}
	defer f.Close()
	kept, err := io.ReadAll(io.NewSectionReader(f, p.before, entriesMax))
	for _, line := range p.entries {
		if err == nil && !bytes.Contains(kept, []byte(`{"type":"`+event.Type(line)+`"`)) {
			lost = append(lost, line)
		}
	}
	return lost
}

// refusedByHook reports whether a hook, through ua-gate watch, has ended the stream to
// the journal.
func (p *pipe) refusedByHook() bool {
	_, how := p.watcher.Failure()
	return how != ""
}

// kill ends all stages with SIGKILL.
func (p *pipe) kill() {
	for _, s := range p.stages {
		s.Signal(syscall.SIGKILL)
	}
}

// printed waits until everything that the stages said is on stderr, so that the footer
// comes last.
func (p *pipe) printed() {
	limit := time.After(stage.Grace / 5)
	for _, s := range p.stages {
		if !s.Printed(limit) {
			return
		}
	}
}

// stageEnd says how a stage ended that should still be running.
func stageEnd(s *stage.Stage) string {
	if !s.Wait(time.Second) {
		return "closed its output"
	}
	if _, how := s.Failure(); how != "" {
		return how
	}
	return "ended early"
}
