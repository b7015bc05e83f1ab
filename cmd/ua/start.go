package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// startAll starts the stages side by side, the slowest first.
func (l *loop) startAll(trace string) error {
	if l.o.depth > 0 {
		fmt.Fprintf(l.env.Stderr, "[ua:sub pid=%d depth=%d run=%s]\n", os.Getpid(), l.o.depth, l.run.ID)
	}
	keep, err := builtin("ua-journal", "append", "--tee", "--final", l.run.Journal())
	if err != nil {
		return err
	}
	keep.env = withoutKeys(keep.env)
	pipe, err := l.commands(trace)
	if err != nil {
		return err
	}
	if err := l.startKeeper(keep); err != nil {
		return err
	}
	return l.startPipe(pipe)
}

// startKeeper starts the journal's writer and reads what it has kept.
func (l *loop) startKeeper(c command) error {
	in, out, err := pipes()
	if err != nil {
		return err
	}
	if l.keeper, err = c.start(in.r, out.w, l.ended); err != nil {
		return err
	}
	l.toJournal = newQueue(in.w)
	go func() {
		defer close(l.kept)
		each(out.r, c.name, func(line []byte) { l.kept <- line })
	}()
	return nil
}

// startPipe starts think | gate | exec, last first, and passes what comes out
// on to the journal.
func (l *loop) startPipe(commands []command) error {
	l.stages = make([]*stage, len(commands))
	in, out, err := pipes()
	if err != nil {
		return err
	}
	after := out.w
	for i := len(commands) - 1; i > 0; i-- {
		between, err := pipe()
		if err != nil {
			return err
		}
		if l.stages[i], err = commands[i].start(between.r, after, l.ended); err != nil {
			return err
		}
		after = between.w
	}
	if l.stages[0], err = commands[0].start(in.r, after, l.ended); err != nil {
		return err
	}
	l.toThink = newQueue(in.w)
	go func() {
		each(out.r, commands[len(commands)-1].name, l.toJournal.offer)
		l.toJournal.put([]byte(l.mark))
	}()
	return nil
}

type pipeEnds struct{ r, w *os.File }

func pipe() (p pipeEnds, err error) {
	if p.r, p.w, err = os.Pipe(); err != nil {
		err = prog.Errorf(unstarted(err), "%w", err)
	}
	return p, err
}

func pipes() (in, out pipeEnds, err error) {
	if in, err = pipe(); err == nil {
		out, err = pipe()
	}
	return in, out, err
}

// each hands every line of f, as a copy, to do. What is no event goes on too:
// the journal's writer says so. A line that is too long to go anywhere becomes an
// error event of the stage.
func each(f *os.File, stage string, do func([]byte)) {
	defer f.Close()
	r := event.NewReader(f)
	for {
		line, err := r.Line()
		var long *event.Malformed
		if errors.As(err, &long) {
			do(event.Error(stage, long.Error(), false))
			continue
		}
		if err != nil {
			return
		}
		if len(line) > 0 {
			do(bytes.Clone(line))
		}
	}
}

// commands is the pipe's stages: ua's own, or what the user put in their place.
func (l *loop) commands(trace string) (list []command, err error) {
	add := func(name, line string, args ...string) {
		if err != nil {
			return
		}
		if line != "" {
			list = append(list, custom(name, line))
			return
		}
		var c command
		if c, err = builtin(name, args...); err == nil {
			list = append(list, c)
		}
	}
	add("ua-think", l.o.think, l.thinkArgs()...)
	add("ua-gate", l.o.gate, l.gateArgs()...)
	if l.o.gate == "" && err == nil {
		list[1].own = !l.o.ask // who asks on the terminal must be in its foreground
	}
	var sandbox []string
	if l.o.run == "" {
		if sandbox, err = l.sandboxArgs(); err != nil {
			return nil, err
		}
	}
	add("ua-sandbox", l.o.run, sandbox...)
	if l.o.run == "" && (l.o.ask || hasPolicy()) {
		add("ua-exec", "", append([]string{"--profile-over", "network"}, l.execArgs()...)...) // for what a person lets out of the sandbox
	}
	for i := range list {
		if i > 1 {
			list[i].runs = true
			list[i].env = append(withoutKeys(list[i].env), run.EnvDir+"="+l.run.Dir, run.EnvJournal+"="+l.run.Journal(),
				run.EnvDepth+"="+strconv.Itoa(l.o.depth+1), run.EnvTrace+"="+trace)
		}
	}
	return list, err
}

func (l *loop) thinkArgs() (args []string) {
	if l.o.model != "" {
		args = append(args, "--model", l.o.model)
	}
	if b := l.o.budgetTokens; b > 0 {
		args = append(args, "--budget-tokens", strconv.FormatInt(b, 10))
	}
	if b := l.o.budgetUSD; b > 0 {
		args = append(args, "--budget-usd", strconv.FormatFloat(b, 'g', -1, 64))
	}
	if l.o.quiet || l.o.json {
		args = append(args, "--quiet")
	}
	return args
}

func (l *loop) gateArgs() []string {
	args := []string{"--journal", l.run.Journal()}
	if l.o.think == "" {
		args = append(args, "--first-gate") // a think of the user's own may hold a gate
	}
	if l.o.ask {
		args = append(args, "--ask")
	}
	return args
}

// hasPolicy says whether the user has a policy, which may let a command out of
// the sandbox.
func hasPolicy() bool {
	_, err := os.Stat(filepath.Join(config.Dir(), "policy.toml"))
	return err == nil
}

func (l *loop) outDir() string { return filepath.Join(l.run.Dir, run.OutFolder) }

// sandboxArgs puts one sandbox around ua-exec for the run. Commands may write
// to the folders of whole outputs and of subagents, never to the journal.
func (l *loop) sandboxArgs() ([]string, error) {
	args := []string{"--profile", "network", "--net-log", filepath.Join(l.run.Dir, "net.jsonl")}
	if l.o.strict {
		args = append(args, "--strict")
	}
	allow := l.o.netAllow
	if len(allow) == 0 {
		allow = []string{"packages", "git"}
	}
	for _, host := range allow {
		args = append(args, "--net-allow", host)
	}
	writable := append([]string{l.outDir(), filepath.Join(l.run.Dir, run.SubFolder)}, l.o.write...)
	for _, dir := range writable[:2] {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, prog.Errorf(prog.Trouble, "the run's folder: %v", err)
		}
	}
	for _, dir := range writable {
		args = append(args, "--write", dir)
	}
	for _, name := range []string{run.EnvDir, run.EnvJournal, run.EnvDepth, run.EnvTrace} {
		args = append(args, "--env", name)
	}
	exec := prog.Sibling("ua-exec")
	if exec == "" {
		return nil, prog.Errorf(prog.NotFound, "ua-exec: not beside ua and not on PATH")
	}
	return append(append(args, "--", exec, "--profile-max", "network"), l.execArgs()...), nil
}

// execArgs is what every ua-exec of the run is told.
func (l *loop) execArgs() []string {
	args := []string{"--dir", l.outDir()}
	if single() != nil {
		args = append(args, "--unset", "GOMAXPROCS")
	}
	return args
}
