package stages

import (
	"strings"
	"syscall"

	"ua/internal/common/event"
	"ua/internal/common/stage"
)

// A member is one stage of the ring. It has a process group of its own, which no signal of the
// terminal reaches, and it dies with us.
type member struct {
	stage *stage.Stage
	in    *event.Outbox
	ended bool // its end was posted
}

// start starts a stage. post calls line for each line of its output, said for each line of its
// stderr, and end when it has ended, after its last words.
func start(c stage.Command, post func(func()), line func([]byte), said func(string),
	end func(*member)) (*member, error) {
	in, out, err := stage.Pipes()
	if err != nil {
		return nil, err
	}
	c.Own, c.Group = true, true
	c.Said = func(text string) { post(func() { said(text) }) }
	m := &member{}
	if m.stage, err = c.Start(in.R, out.W, nil); err != nil {
		return nil, err
	}
	m.in = event.OutboxTo(in.W)
	go func() {
		stage.Lines(out.R, c.Name, func(text []byte) { post(func() { line(text) }) })
		m.stage.Printed(nil)
		<-m.stage.Done()
		post(func() { m.ended = true; end(m) })
	}()
	return m, nil
}

// failure returns how the stage failed, "" where it did not.
func (m *member) failure() string {
	_, how := m.stage.Failure()
	if strings.HasPrefix(how, "killed") {
		how = "was " + how
	}
	if how != "" {
		how = m.stage.Name() + " " + how
	}
	return how
}

// alive reports whether the stage was started and its end was not posted.
func (m *member) alive() bool { return m != nil && !m.ended }

// signal sends a signal to the stage's process group.
func (m *member) signal(sig syscall.Signal) {
	if m.alive() {
		m.stage.Signal(sig)
	}
}
