package agentloop

import (
	"crypto/rand"
	"slices"
	"syscall"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/stage"
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
		if p.watcher, in.R, err = startWatcher(in.R); err != nil {
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
