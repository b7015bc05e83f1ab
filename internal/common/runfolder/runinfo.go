package runfolder

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
	"ua/internal/common/style"
)

// An Info is what the folder of a run tells about it.
type Info struct {
	run.Run
	Begin []byte // the event run
	// From it, as the run was started.
	Parent     string
	Depth      int
	Agent      string
	Task       string
	Model      string
	Answered   string // the model that answered last, PROVIDER/NAME
	Cwd        string
	Background bool
	Via        string // the engine that runs the agent on another side
	Far        string // what that side calls its run
	Isolation  string // what it asked for, then what it got and what became of that
	Branch     string // of its work tree
	Worktree   string // its folder
	Why        string // it has none
	State      string
	Waits      []string // the jobs that it waits for, while it has answered
	Asks       [][]byte // its open questions: those without a verdict about their call
	PID        int      // of the process that drives it, as counted here; 0 for none or unknown
	Status     int      // exit status, once it has ended
	Message    string
	Answer     string // the text of the last response
	Whole      bool   // that is a complete answer, and nothing was asked since
	Turns      int64
	Commands   int64         // that the model has asked for
	Worked     time.Duration // by the summaries
	Started    time.Time
	Ended      time.Time // zero while it runs
	Tally      journal.Tally
	Spent      Spent    // of a subagent, what a gateway has seen it take; Tally says so too
	Claimed    bool     // no gateway has seen it ask a model: what Tally says is its own word
	Ledger     Ledger   // of what is below it, as its own journal has it
	Marks      string   // a ✓, ✗ or ⚠ for each of the first commands: done, failed, not let run
	Children   []*Info  // oldest first; filled in by Tree
	More       bool     // there may be others, which no record names
	started    []string // the IDs of its subagents, as its journal has them
	sub        bool     // it is a subagent's: a command can have written its folder
	asked      int64    // answers of a model that its journal has, recordings left out
}

// Live reports whether a process drives the run.
func (i *Info) Live() bool {
	return i.State == run.Running || i.State == run.Waiting || i.State == run.Accepted
}

// Took returns how long the run has taken so far or took in all, 0 if that is not known.
func (i *Info) Took(now time.Time) time.Duration {
	switch {
	case i.Started.IsZero():
		return 0
	case !i.Ended.IsZero():
		return max(i.Ended.Sub(i.Started), 0)
	case i.Live():
		return max(now.Sub(i.Started), 0)
	}
	return 0
}

// Behind reports whether the run has received answers that no gateway has counted yet.
func (i *Info) Behind() bool { return i.asked > i.Spent.Requests }

// Below returns what all agents below the run have used, as a gateway counted it. For a
// run at the top this is its ledger; for a subagent it is the sum over its children.
func (i *Info) Below() Spent {
	if !i.sub {
		return i.Ledger.All
	}
	var s Spent
	for _, c := range i.Children {
		s.add(c.Spent)
		s.add(c.Below())
	}
	return s
}

// Read reads the journal of a run, which is running while a process drives it or writes its
// journal. One without a journal is accepted while a process drives it, and has failed
// otherwise. A line that is too long or torn is skipped.
func Read(r run.Run) *Info {
	most := int64(readMax)
	return readSome(r, &most)
}

// readSome is Read for a journal of which no more than so many bytes are read, or else both
// ends. It takes away those that it has read.
func readSome(r run.Run, most *int64) *Info {
	i := &Info{Run: r}
	var alive bool
	i.PID, alive = Driver(r)
	i.State = run.Failed
	if alive || young(r) {
		i.State = run.Accepted
	}
	f, err := safefile.Open(r.Journal())
	if err != nil {
		return i
	}
	defer f.Close()
	if pid, ok := Holder(f); ok && !alive { // a session of ua-shell has no lock file
		i.PID, i.State, alive = pid, run.Running, true
	}
	events := event.NewReader(bounded(f, most))
	var summary []byte
	for {
		line, err := events.Line()
		if err == io.EOF {
			break
		}
		if err != nil || !event.Valid(line) {
			continue // too long, or torn
		}
		i.add(line)
		summary = nil
		if event.Type(line) == "summary" {
			summary = append(summary, line...)
		}
	}
	switch {
	case alive && len(i.Waits) > 0:
		i.State = run.Waiting
	case alive && i.Turns > 0:
		i.State = run.Running
	case !alive && summary != nil:
		i.end(summary)
	}
	return i
}

// bounded returns a reader of a journal, or of both ends of one that has more than most bytes,
// which it takes away from most. A command can write the journals of subagents, so reading
// them must have a limit.
func bounded(f *os.File, most *int64) io.Reader {
	info, err := f.Stat()
	if err != nil {
		return strings.NewReader("")
	}
	size := info.Size()
	if size <= *most {
		*most -= size
		return io.LimitReader(f, size)
	}
	end := max(min(endMax, *most/4), leastMax)
	*most = max(*most-2*end, 0)
	newline := strings.NewReader("\n") // parts a line that is cut from the next
	return io.MultiReader(io.NewSectionReader(f, 0, end), newline,
		io.NewSectionReader(f, max(size-end, end), end))
}

// young reports whether a run's folder is so new that its process may not have locked it
// yet.
func young(r run.Run) bool {
	if _, err := os.Lstat(r.Journal()); err == nil {
		return false
	}
	info, err := os.Lstat(r.Dir)
	return err == nil && time.Since(info.ModTime()).Abs() < 5*time.Second
}

// add takes in one event.
func (i *Info) add(line []byte) {
	i.Tally.Add(line)
	i.Ledger.Add(line)
	switch event.Type(line) {
	case "run":
		i.Begin = bytes.Clone(line)
		i.Parent, i.Agent, i.Task = event.Str(line, "parent"), event.Str(line, "agent"),
			event.Str(line, "task")
		i.Model, i.Cwd, i.Isolation = event.Str(line, "model"), event.Str(line, "cwd"),
			event.Str(line, "isolation")
		i.Via = event.Str(line, "via")
		i.Depth = int(gjson.GetBytes(line, "depth").Int())
		i.Background = gjson.GetBytes(line, "background").Bool()
		i.Started, _ = time.Parse(time.RFC3339, event.Str(line, "ts"))
	case "instruction", "message", "shell_command":
		i.Whole = false // the model has not answered these
	case "via":
		i.Far = event.Str(line, "id")
	case "isolation":
		i.Isolation = cmp.Or(event.Str(line, "state"), event.Str(line, "got"))
		i.Branch, i.Worktree, i.Why = event.Str(line, "branch"), event.Str(line, "path"),
			event.Str(line, "why")
	case "ask", "verdict":
		id := event.Str(line, "call_id")
		i.Asks = slices.DeleteFunc(i.Asks, func(q []byte) bool { return event.Str(q, "call_id") == id })
		if event.Type(line) == "ask" {
			i.Asks = append(i.Asks, bytes.Clone(line))
		}
	case "tool_call":
		i.Commands++
	case "summary":
		i.Asks = nil
		i.Worked += time.Duration(gjson.GetBytes(line, "duration_ms").Int()) * time.Millisecond
	case "tool_result":
		i.mark(line)
	case "subagent":
		if id := event.Str(line, "id"); event.Str(line, "state") == "start" && IsID(id) &&
			len(i.started) < belowMax {
			i.started = append(i.started, strings.Clone(id))
		}
	case "waiting":
		i.Waits = event.Strings(line, "jobs")
	case "turn":
		i.Turns, i.Waits = i.Turns+1, nil
	case "response":
		if !gjson.GetBytes(line, "replay").Bool() {
			i.asked++
			i.Answered = event.Str(line, "model")
		}
		i.Answer, _ = event.ResponseText(line)
		i.Whole = event.Str(line, "stop_reason") == "end_turn"
		if i.Model == "" {
			i.Model = event.Str(line, "model")
		}
	}
}

// mark adds a sign for the result of a command to Marks.
func (i *Info) mark(line []byte) {
	status, code := event.Str(line, "status"), gjson.GetBytes(line, "exit_code")
	switch {
	case len(i.Marks) >= marksMax:
	case status == "denied" || status == "refused":
		i.Marks += "⚠"
	case code.Int() != 0 || !code.Exists():
		i.Marks += "✗"
	default:
		i.Marks += "✓"
	}
}

// end takes in the summary, which is the run's last line.
func (i *Info) end(summary []byte) {
	i.Ended, _ = time.Parse(time.RFC3339, event.Str(summary, "ts"))
	i.Status = int(gjson.GetBytes(summary, "exit_code").Int())
	i.Message = event.Str(summary, "message")
	i.State = run.EndState(i.Status)
}

// Begun returns the event that tells the run above of a subagent (ua-events(5), subagent).
func (i *Info) Begun(depth int) []byte { return i.subagent("start", depth).Line() }

// Over returns the event that tells how a subagent ended. Its use of the model is what the
// gateway has counted or, with claimed, its own word. Everything else is always its own word.
func (i *Info) Over(depth int) []byte {
	e := i.subagent("end", depth)
	if i.Claimed {
		e.Bool("claimed", true)
	}
	return e.Str("outcome", i.State).Int("exit_code", int64(i.Status)).Int("turns", i.Turns).
		Int("requests", i.Spent.Requests).Int("tokens_in", i.Tally.TokensIn).
		Int("tokens_out", i.Tally.TokensOut).Float("cost_usd", i.Tally.CostUSD).
		Int("commands", i.Tally.Commands).
		Int("denied", i.Tally.Denied).Int("duration_ms", i.Took(time.Now()).Milliseconds()).
		OptStr("message", style.FirstLine(i.Message, 200)).Line()
}

// subagent begins an event about a subagent.
func (i *Info) subagent(state string, depth int) *event.Builder {
	e := event.New("subagent").Str("state", state).Str("id", i.ID).Int("pid", int64(i.PID)).
		Int("depth", int64(depth)).
		OptStr("agent", i.Agent).OptStr("task", style.FirstLine(i.Task, 200)).
		OptStr("isolation", i.Isolation).OptStr("why", i.Why).OptStr("branch", i.Branch).
		OptStr("worktree", i.Worktree)
	if i.Background {
		e.Bool("background", true)
	}
	return e
}

// Tokens returns how many tokens a run used, shortened for people. A question mark follows a
// figure that no gateway has seen and that only the agent itself reports.
func (i *Info) Tokens() string {
	count := style.Count(i.Tally.TokensIn + i.Tally.TokensOut)
	if i.Claimed {
		count += "?"
	}
	return count
}

// readMax is how many bytes of a journal are read, since a command could have made one
// without end. For a longer one, the head and the last endMax bytes say the most.
const (
	readMax  = 64 << 20
	endMax   = 1 << 20
	leastMax = 16 << 10 // of each end, once the journals below a run have taken all that may be read
)

// marksMax limits Marks, in bytes: a line for a person has room for about 20.
const marksMax = 20 * len("✓")

// namesMax is how many names a ledger keeps separately, since a client can make up any
// number.
const namesMax = 10000

// deepest limits a walk down a tree of folders that a command can write.
const deepest = 16

// belowMax and strangersMax limit the runs below one that are read, and those of them in a
// folder that no record names: a command can make any number of folders there.
const (
	belowMax     = 1000
	strangersMax = 100
)
