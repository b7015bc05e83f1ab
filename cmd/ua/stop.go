package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/term"

	"ua/cmd/ua/internal/agentloop"
	"ua/cmd/ua/internal/inbox"
	"ua/cmd/ua/internal/runprocesses"
	"ua/internal/common/procfs"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/stage"
	"ua/internal/common/style"
)

// stopGrace is how long ua stop waits for a run to end by itself.
const stopGrace = 10 * time.Second

// stopVerb ends runs. Each is asked to end, so that its journal gets a last line. A run
// that does not end in time is killed with all processes below it.
func stopVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	yes := fs.Bool("yes", false, "")
	prog.Short(fs, "y", "yes")
	var patience time.Duration
	prog.Duration(fs, &patience, "grace", stopGrace, prog.OrZero)
	if err := env.Parse(fs, args, helpOf("stop")); err != nil {
		return err
	}
	if fs.NArg() == 0 {
		return prog.Errorf(prog.Trouble, "stop: no run given").Hintf("ua ps lists them")
	}
	found, err := named("stop", fs.Args())
	if err != nil {
		return err
	}
	status := error(nil)
	for _, r := range found {
		if err := liveShell(r, "leave that shell to end it"); err != nil {
			return err
		}
		// It may have ended since it was listed, which is no failure.
		if _, alive := runfolder.Driver(r); !alive {
			env.Warnf("%s has already ended", r.ID)
			continue
		}
		if !*yes && !confirmed(env, "stop", r) {
			status = prog.Exit(prog.No)
			continue
		}
		if err := stopRun(env, r, patience); err != nil {
			return err
		}
	}
	return status
}

// confirmed asks the person on the terminal. If nobody can be asked, the command counts
// as their answer.
func confirmed(env *prog.Env, verb string, r run.Run) bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil || !term.IsTerminal(int(env.Stdin.Fd())) {
		return true
	}
	defer tty.Close()
	fmt.Fprintf(tty, "%s %s (%s)? [y/N] ", verb, r.ID, style.FirstLine(runfolder.Read(r).Task, 60))
	answer, _ := bufio.NewReader(tty).ReadString('\n')
	return strings.HasPrefix(strings.ToLower(strings.TrimSpace(answer)), "y")
}

// stopRun ends one run. A signal may be refused, as between commands of a run that the
// kernel keeps apart; the message in the inbox then still arrives.
func stopRun(env *prog.Env, r run.Run, patience time.Duration) error {
	pid, alive := runfolder.Driver(r)
	if !alive {
		return nil
	}
	// A command above a subagent can put a file in the place of its lock that any program
	// of the user's holds.
	if p, ok := procfs.Read(pid); ok && !strings.HasPrefix(p.Name, "ua") {
		return prog.Errorf(prog.Trouble, "%s: process %d (%q) holds its lock but is not a run of ua",
			r.ID, pid, p.Name)
	}
	// Taken before the run ends: afterwards its processes can no longer be found by their
	// parent.
	members := runprocesses.Of(pid)
	said := inbox.Send(r, inbox.Message{Stop: true, From: sender()})
	if pid > 0 {
		if err := syscall.Kill(pid, syscall.SIGTERM); err == nil {
			said = nil
		}
	}
	if said != nil {
		return prog.Errorf(prog.Trouble, "%s: %v", r.ID, said)
	}
	if awaitEnd(r, time.Now().Add(patience)) {
		return nil
	}
	members.Kill()
	if !awaitEnd(r, time.Now().Add(stage.Grace)) {
		return prog.Errorf(prog.Trouble, "%s could not be killed", r.ID)
	}
	agentloop.LastLook(env, func([]byte) {})
	return nil
}
