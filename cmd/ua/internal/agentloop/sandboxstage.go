package agentloop

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/secret"
	"ua/internal/common/stage"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
	"ua/internal/common/xdg"
)

// hands returns the stages that run commands. They are either the user's own command, or
// one sandbox around one ua-exec for the whole run, so that a server which one command
// starts can be reached by the next. What a person allows outside of the sandbox is run
// by a second ua-exec.
func (l *loop) hands(trace string) (list []stage.Command, err error) {
	_, l.withheld = secret.Environ(slices.Concat(os.Environ(), l.keys),
		[]string{run.EnvToken})
	if l.o.Exec != "" {
		list = []stage.Command{stage.Custom("ua-sandbox", l.o.Exec)}
	} else if list, err = l.confined(); err != nil {
		return nil, err
	}
	for i := range list {
		c := &list[i]
		c.Runs = true
		c.Env = withoutOutlets(c.Env)
		if l.o.Exec != "" {
			c.Env = append(c.Env, run.EnvPath+"="+l.o.path)
		} else {
			c.Env = append(c.Env, "PATH="+l.o.path)
		}
		c.Env = append(append(c.Env, l.gateway.Env()...), l.servers.env(l.gateway)...)
		c.Env = append(c.Env, run.EnvDir+"="+l.run.Dir, run.EnvJournal+"="+l.run.Journal(),
			run.EnvDepth+"="+strconv.Itoa(l.o.depth+1), run.EnvTrace+"="+trace)
	}
	return list, nil
}

// withoutOutlets returns env without the socket of the run above for a model, since what this
// run starts goes through its own, and without the other names.
func withoutOutlets(env []string, others ...string) []string {
	names := append(others, run.EnvGateway, run.EnvToken, run.EnvMCP)
	return slices.DeleteFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains(names, name)
	})
}

// confined returns ua-sandbox around ua-exec. Where the policy or a person may allow a
// command outside of it, a second ua-exec follows.
func (l *loop) confined() (list []stage.Command, err error) {
	program, err := prog.FindSibling("ua-exec")
	if err != nil {
		return nil, err
	}
	dirs := []string{l.outDir(), l.subDir()}
	if l.o.depth == 0 {
		dirs = append(dirs, runfolder.AnswersFolder(l.run)) // for subagents, too
	}
	for _, dir := range dirs {
		if err := ownFolder(dir, 0o700); err != nil {
			return nil, prog.Errorf(prog.Trouble, "the run's folder: %v", err)
		}
	}
	inside, err := stage.Builtin("ua-sandbox", append(append(l.sandboxArgs(netLogFD), "--land", "--",
		program, "--env-judged", "--profile-max", l.o.Profile), l.execArgs()...)...)
	if err != nil {
		return nil, err
	}
	net, err := stage.Pipe()
	if err != nil {
		return nil, err
	}
	if l.proof.running && l.o.seals() {
		if inside, err = l.inSeal(inside); err != nil {
			return nil, err
		}
	}
	if l.o.tries() {
		if inside, err = l.inTry(inside); err != nil {
			return nil, err
		}
	}
	inside.Looks = os.Getenv(run.EnvSandbox) == "" && !l.o.tries()
	inside.Extra, l.net, l.asked = []*os.File{net.W}, net.R, make(chan struct{})
	l.tierTold = make(chan struct{})
	l.tier.Store(0) // of one before
	list = []stage.Command{inside}
	if (l.o.Ask || hasPolicy()) && !l.o.tries() { // what leaves the sandbox would leave the try
		args := prog.Repeat([]string{"--profile-over", l.o.Profile}, "--net-allow", l.o.NetAllow)
		outside, err := stage.Builtin("ua-exec", append(args, l.execArgs()...)...)
		if err != nil {
			return nil, err
		}
		list = append(list, outside)
	}
	return list, nil
}

// ownFolder creates a folder that commands may write to. A link in its place is an error,
// since it would open the folder behind it: commands of the run above can write to the
// folder of a subagent's run, which a person may resume.
func ownFolder(dir string, mode fs.FileMode) error {
	if err := os.Mkdir(dir, mode); !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOTDIR}
	}
	return err
}

// hasPolicy reports whether the user has a policy, which may allow a command outside of
// the sandbox.
func hasPolicy() bool {
	_, err := os.Stat(filepath.Join(xdg.Config(), "policy.toml"))
	return err == nil
}

// outputMax is how many bytes of a command's output are kept in a file when the result
// cannot hold them all.
const outputMax = "268435456"

// netLogFD is the descriptor on which ua-sandbox writes its events: the first one after
// stderr.
const netLogFD = "3"

// sandboxArgs returns the options of the sandbox around ua-exec. Commands can read the
// run's folder, and write to the folders of outputs and of subagents in it. Events go to
// the descriptor eventsFD.
func (l *loop) sandboxArgs(eventsFD string) []string {
	args := []string{"--profile", l.o.sandboxProfile, "--net-log-fd", eventsFD, "--read",
		l.run.Dir, "--protect", l.run.Dir, "--write", l.outDir(), "--write", l.subDir()}
	if l.proof.running {
		args = prog.Repeat(args, "--protect", l.proof.protect)
	}
	if l.o.quiet {
		args = append(args, "--quiet")
	}
	if l.gateway != nil {
		args = append(args, "--socket", l.gateway.Path)
	}
	if l.servers != nil {
		args = append(args, "--socket", l.servers.socket.Path)
	}
	args = prog.Repeat(args, "--env", []string{run.EnvDir, run.EnvJournal, run.EnvDepth,
		run.EnvTrace, run.EnvGateway, run.EnvToken, run.EnvMCP, run.EnvTry})
	args = prog.Repeat(append(args, "--env-judged"), "--withhold", l.withheld)
	return append(args, l.o.sandboxOptions(l.o.Profile)...)
}

// sandboxOptions returns the options by which the user configures a sandbox whose
// commands get at most the profile.
func (o *options) sandboxOptions(profile string) (args []string) {
	if o.Strict {
		args = append(args, "--strict")
	}
	if profile == string(verdict.ProfileNetwork) {
		args = prog.Repeat(args, "--net-allow", o.NetAllow)
	}
	args = prog.Repeat(args, "--write", o.Write)
	args = prog.Repeat(args, "--read", o.Read)
	args = prog.Repeat(args, "--socket", o.Sockets)
	args = prog.Repeat(args, "--env", o.Env)
	return append(args, o.Resources.Args()...)
}

// execArgs returns the options of every ua-exec of the run. ua-exec narrows each command
// by its verdict, so that whatever the sandbox grants must be granted here as well.
func (l *loop) execArgs() []string {
	args := []string{"--dir", l.outDir(), "--file-max", outputMax,
		"--calls-max", strconv.Itoa(l.o.Limits.Calls),
		"--max-commands", strconv.Itoa(max(l.o.Limits.Commands-l.count.Commands, 0))}
	args = prog.Repeat(args, "--write", append([]string{l.subDir()}, l.o.Write...))
	args = prog.Repeat(args, "--read", append([]string{l.run.Dir}, l.o.Read...))
	args = prog.Repeat(args, "--env", append([]string{run.EnvJournal, run.EnvTry}, l.o.Env...))
	if l.o.Resources.Pids > 0 {
		args = append(args, "--pids-max", strconv.Itoa(l.o.Resources.Pids))
	}
	if l.show.Moves() {
		args = append(args, "--progress")
	}
	if stage.OneProcessor() != nil {
		args = append(args, "--unset", "GOMAXPROCS")
	}
	return args
}

// noteRequests writes the sandbox's events to the journal as they come: what its proxy
// was asked for and which protected files it moved aside. It ends with the sandbox.
func (l *loop) noteRequests() {
	defer close(l.asked)
	stage.Lines(l.net, "ua-sandbox", l.noteEvent)
}

// noteEvent writes an event of a sandbox to the journal. The event sandbox tells its
// tier, and comes once more if it becomes a lower one.
func (l *loop) noteEvent(line []byte) {
	switch typ := event.Type(line); {
	case !event.Valid(line):
	case typ == "net" || typ == "guarded":
		l.sees(line)
		l.toJournal.Offer(line)
	case typ == "sandbox":
		if l.tier.Swap(gjson.GetBytes(line, "tier").Int()) == 0 {
			close(l.tierTold)
		}
	}
}

// sees notes what a sandbox could not look at.
func (c *confinement) sees(line []byte) {
	if event.Type(line) == "guarded" && event.Str(line, "state") == "unseen" {
		c.unseen.Store(style.FirstLine(journal.Guarded(line), 300))
	}
}

// awaitNotices waits until the journal has what the sandbox tells.
func (c *confinement) awaitNotices() {
	if c.net == nil {
		return
	}
	select {
	case <-c.asked:
	case <-time.After(stage.Grace / 5): // a process that got away holds the pipe
	}
}
