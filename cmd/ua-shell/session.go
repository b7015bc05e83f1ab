package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-shell/internal/agent"
	"ua/cmd/ua-shell/internal/integration"
	"ua/cmd/ua-shell/internal/mark"
	"ua/cmd/ua-shell/internal/screen"
	"ua/cmd/ua-shell/internal/stages"
	"ua/cmd/ua-shell/internal/tracker"
	"ua/internal/common/gateway"
	"ua/internal/common/prog"
	"ua/internal/common/redact"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/secret"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// A session is a shell with an agent; the shell tells by marks what it is doing.
type session struct {
	*wrapper
	o       options
	env     *prog.Env
	meet    *integration.Integration
	place   run.Run
	hosts   *os.File         // lists what the sandbox reaches, nil for nothing
	gateway *gateway.Gateway // for subagents in a sandbox
	trouble error            // why there is no run
	parser  *mark.Parser
	tracker *tracker.Tracker
	agent   *agent.Agent
	log     *os.File // gets every event, nil for none
}

// newSession prepares the wrapper for an agent: the shell's variables, and what reads its
// output.
func newSession(env *prog.Env, o options, w *wrapper, meet *integration.Integration) *session {
	s := &session{wrapper: w, o: o, env: env, meet: meet, parser: mark.New(meet.Nonce),
		tracker: tracker.New()}
	w.folder = meet.Folder
	w.begin = s.begin
	w.drained = s.parser.Flush
	if s.place, s.trouble = run.New(run.Parent()); s.trouble != nil {
		s.trouble = fmt.Errorf("the session's journal can't be kept: %w", s.trouble)
	} else {
		w.shell.Env = append(w.shell.Env, run.EnvJournal+"="+s.place.Journal())
	}
	// What the model runs finds ua where ua-shell is.
	if self, err := os.Executable(); err == nil {
		if _, missing := exec.LookPath("ua"); missing != nil {
			w.shell.Env = append(w.shell.Env,
				"PATH="+os.Getenv("PATH")+string(os.PathListSeparator)+filepath.Dir(self))
		}
	}
	return s
}

// begin connects the parts of the session, before the first byte passes.
func (s *session) begin() {
	show := screen.New(style.For(s.env.Stdout), s.size, s.relay.Print)
	s.tracker.Print = s.relay.Print
	s.tracker.Ready = s.meet.Loaded
	if s.o.sandbox == "" { // the child is the shell itself
		s.tracker.Proc = fmt.Sprintf("/proc/%d/cwd", s.child.PID)
	}
	name := s.shell.Name()
	began, _ := os.Getwd()
	think := s.o.ua.Budget().Args()
	if s.o.model != "" {
		think = append(think, "--model", s.o.model)
	}
	stages := &stages.Ring{Run: s.place, Shell: name, Confined: s.o.sandbox != "",
		Gateway: s.gateway, Settings: s.o.ua, ThinkArgs: think, Effort: s.o.effort, Patience: s.o.ask,
		Notifier: &runfolder.Notifier{Command: s.o.ua.Notify}, Post: s.relay.Post}
	s.agent = agent.New(agent.Options{
		Shell: name, Profile: s.o.sandbox, Began: began, Terms: s.o.terms(), Lines: s.o.lines,
		Version: prog.Version(), PTY: s.child.PTY, TTY: s.child.TTY,
		Trouble: s.trouble, LendTerminal: s.lendTerminal, Reach: s.reach,
	}, s.relay, s.tracker, s.meet, stages, show, secrets(s.meet.Nonce))
	// The agent first: it clears its spinner before the shell's text comes.
	s.parser.Text = func(p []byte) {
		s.agent.Output(p)
		s.relay.Print(p)
	}
	s.parser.Event = s.event
	s.relay.Output = s.parser.Feed
	show.Say("%s", show.Paint.Dim(s.greeting()))
	s.awaitMark(show)
}

// confine puts a sandbox around the shell, with a gateway for subagents inside.
func (s *session) confine() (err error) {
	if s.gateway, err = gateway.OpenAt(filepath.Join(s.meet.Folder,
		"gateway.sock")); err != nil {
		return err
	}
	subagents := ""
	if s.trouble == nil {
		subagents = filepath.Join(s.place.Dir, run.SubFolder)
		// The sandbox can only let in folders that exist.
		for _, dir := range []string{subagents, runfolder.AnswersFolder(s.place)} {
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
		}
		// No command sees this folder.
		if s.hosts, err = os.CreateTemp(s.place.Dir, "hosts"); err != nil {
			return err
		}
		os.Remove(s.hosts.Name())
	}
	s.shell, err = confined(s.shell, &s.o, s.meet.Folder, subagents, s.hosts)
	return err
}

// reach lets the sandbox reach the hosts and no others. A request that comes in between finds
// none.
func (s *session) reach(hosts []string) error {
	if s.hosts == nil {
		return nil
	}
	err := s.hosts.Truncate(0)
	if err == nil && len(hosts) > 0 {
		_, err = s.hosts.WriteAt([]byte(strings.Join(hosts, "\n")+"\n"), 0)
	}
	return err
}

// end ends the agent. A run in which nothing was asked leaves no folder behind.
func (s *session) end() {
	if s.agent != nil {
		s.agent.Close()
	}
	if s.trouble == nil && (s.agent == nil || !s.agent.Begun()) {
		os.Remove(filepath.Join(s.place.Dir, run.SubFolder))
		os.Remove(s.place.Dir)
	}
	s.meet.Close()
}

// event hands a mark to the tracker, after --debug-osc's file has it.
func (s *session) event(e mark.Event) {
	if s.log != nil {
		s.note(e)
	}
	// At the first prompt the shell is sure to be in the foreground.
	if e.Kind == mark.Own && e.Letter == 'B' && s.meet.PID == 0 {
		s.meet.PID = s.shellPID()
	}
	s.tracker.Event(e)
}

// shellPID returns the shell's process when the first prompt is shown, 0 if it is not
// known. In a sandbox the child is ua-sandbox, and the shell is the group that is then in
// the foreground.
func (s *session) shellPID() int {
	if s.o.sandbox == "" {
		return s.child.PID
	}
	pid, err := unix.IoctlGetInt(s.child.PTY, unix.TIOCGPGRP)
	if err != nil {
		return 0
	}
	return pid
}

// greeting returns the first line of a session: how to ask, and what the shell may write.
func (s *session) greeting() string {
	switch s.o.sandbox {
	case "":
		return "# asks the agent. No sandbox: commands that only read run, others ask first."
	case string(verdict.ProfileReadOnly):
		return "# asks the agent. This shell is in a sandbox and can write only to its own /tmp."
	}
	dir, _ := os.Getwd()
	return "# asks the agent. This shell is in a sandbox and can write only to " +
		style.Printable(dir) + " and its own /tmp."
}

// secrets returns what no output may contain on its way to a model: what looks like a
// secret, the values of variables with secret names, and the nonce of the marks.
func secrets(nonce string) *redact.Set {
	values := map[string]string{nonce: "session_nonce"}
	_, withheld := secret.Environ(os.Environ(), nil)
	for _, name := range withheld {
		name, _, _ = strings.Cut(name, "=")
		values[os.Getenv(name)] = "environment_value"
	}
	return redact.NewSet(values)
}

// note writes an event, with the time, to the file of --debug-osc.
func (s *session) note(e mark.Event) {
	what := ""
	switch e.Kind {
	case mark.Own:
		what = fmt.Sprintf("ua %c %q", e.Letter, e.Body)
	case mark.Foreign:
		what = fmt.Sprintf("133 %c", e.Letter)
	case mark.Mode:
		what = fmt.Sprintf("mode %d %v", e.Mode, e.On)
	}
	fmt.Fprintf(s.log, "%s %s\n", time.Now().Format("15:04:05.000"), what)
}
