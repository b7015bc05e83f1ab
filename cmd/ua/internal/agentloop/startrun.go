package agentloop

import (
	"os"
	"syscall"
	"time"

	"ua/cmd/ua/internal/display"
	"ua/cmd/ua/internal/runprocesses"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/runfolder"
	"ua/internal/common/stage"
)

// agentsBytes is how many bytes of subagents' journals a run reads, which commands can write.
const agentsBytes = 1 << 30

// doTask does the task in a new run, or continues an old one.
func doTask(env *prog.Env, o *options, t task) error {
	runprocesses.Adopt()
	keys := config.TakeKeys()
	if o.fork {
		var err error
		from := t.resume
		if t.resume, err = forkRun(env, from, o.at, o.folder()); err == nil && o.tries() {
			err = forkTry(from, t.resume, o.at)
		}
		if err != nil {
			return err
		}
	}
	l := &loop{o: o, env: env, run: t.resume, title: t.text, started: time.Now(), keys: keys,
		pipe: newPipe(), dialog: dialog{replies: map[string]bool{}},
		mail:    mail{refusedHosts: map[string]bool{}, notices: map[string]int{}},
		waiting: waiting{matches: map[string]int{}, told: map[string]time.Time{}},
		agents:  offspring{known: map[string]*child{}, unread: agentsBytes}}
	if o.depth == 0 {
		l.notifier.Command, l.notifier.Warn = o.notifyLine, func(err string) { env.Warnf("%s", err) }
	}
	held, err := l.prepare()
	if err != nil {
		return err
	}
	defer held.Close()
	if err = l.isolate(); err == nil {
		err = l.seal()
	}
	if err != nil {
		l.discard(held)
		return err
	}
	l.show = display.New(env, o.display(), l.run.Journal())
	if l.o.resume {
		l.countEarlier()
	}
	trace := traceparent()
	l.proof.trace = trace
	if err := l.startAll(trace); err != nil {
		l.kill()
		l.closeGateways()
		l.keeper.Signal(syscall.SIGKILL)
		l.keeper.Wait(stage.Grace)
		l.discard(held)
		if l.tree != nil {
			l.tree.End()
		}
		return err
	}
	if err := l.begin(&t, trace); err != nil {
		l.kill()
		l.closeGateways()
		return err
	}
	l.pump()
	err = l.close()
	if l.neverAsked() {
		l.dropTry()
		_ = os.RemoveAll(l.run.Dir)
	}
	return err
}

// prepare creates the run's folder, or takes over that of an old run, and saves the
// limits of its subagents there. held keeps the run marked as driven.
func (l *loop) prepare() (held *os.File, err error) {
	if l.o.resume {
		if held, err = runfolder.Hold(l.run); err == nil {
			// The agents that ended before are in its journal already.
			l.passOver()
			l.takeUp()
			err = runfolder.Apart(l.run, l.o.parent)
		}
		l.catchSignals()
		if err == nil && l.o.background {
			err = detach(l.run)
		}
	} else {
		l.run, held, err = l.o.newRun(l.env, l.catchSignals)
	}
	if err == nil {
		if err = l.o.limits.Save(held); err != nil {
			err = runfolder.FolderError(err)
		}
	}
	if err != nil {
		l.discard(held)
		return nil, err
	}
	return held, nil
}

// discard takes away the folder of a new run in which nothing was begun. To list it takes
// descriptors: where they are lacking, those of what the run will not need are free for it.
func (l *loop) discard(held *os.File) {
	if l.o.resume || l.run.Dir == "" {
		return
	}
	held.Close()
	l.env.Stdin.Close()
	_ = os.RemoveAll(l.run.Dir)
}

// begin writes the run's first events. The first turn follows once the instruction is
// kept.
func (l *loop) begin(t *task, trace string) error {
	if !l.o.resume {
		if err := t.settle(l.env, l.run.Dir); err != nil {
			return err
		}
		if l.o.via != "" {
			l.enter(runEvent(l.o, t, l.run.ID, trace))
			l.enter(t.instruction())
			return l.hand()
		}
		l.enter(runEvent(l.o, t, l.run.ID, trace))
		l.enter(l.o.systemEvent())
		if l.o.Isolation == "worktree" {
			l.enter(l.isolationEvent("", ""))
		}
		if l.proof.seal != nil {
			l.enter(l.proof.seal)
		}
		t.describe(l) // the stages that stand take the first events meanwhile
		l.enter(t.instruction())
		return nil
	}
	if info, err := os.Stat(l.run.Journal()); err == nil {
		l.before = info.Size()
	}
	l.share()
	if l.proof.seal != nil {
		l.toJournal.Put(l.proof.seal)
	}
	if err := l.sendConversation(-1, func() { warnOfChange(l.env, l.run) }); err != nil {
		return err
	}
	if err := t.settle(l.env, l.run.Dir); err != nil {
		return err
	}
	if t.text != "" || len(t.attachments) > 0 {
		l.enter(t.instruction())
	} else {
		l.turn()
	}
	return nil
}
