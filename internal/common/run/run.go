// Package run names the folders of runs: DIR/journal.jsonl, DIR/media, and DIR/sub with
// the runs of its subagents. The tree of folders is the tree of agents.
package run

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"ua/internal/common/prog"
	"ua/internal/common/safefile"
	"ua/internal/common/style"
	"ua/internal/common/xdg"
)

// A Run is the folder of one run.
type Run struct {
	// 20261121-191144-3f9a2c: UTC, then milliseconds and chance in three hex digits each; so names
	// sort by time
	ID  string
	Dir string
}

// Last is the word for the newest run, and in ua-try for the newest try.
const Last = "last"

// Journal returns the path of the run's journal.
func (r Run) Journal() string { return filepath.Join(r.Dir, JournalFile) }

// Root returns the folder of the user's top-level runs without symbolic links. Commands
// could not follow a link that lies in a folder hidden from them.
func Root() string { return safefile.Follow(filepath.Join(xdg.State(), "runs")) }

// Parent returns the folder in which a new run belongs: UA_RUN_DIR/sub for a subagent,
// and otherwise Root.
func Parent() string {
	if dir := os.Getenv(EnvDir); filepath.IsAbs(dir) {
		return filepath.Join(dir, SubFolder)
	}
	return Root()
}

// NewID returns a new ID. Two of the same millisecond are equal with a chance of 1 in
// 4,000.
func NewID() string {
	var b [2]byte
	rand.Read(b[:])
	now := time.Now().UTC()
	return fmt.Sprintf("%s%03x%03x", now.Format("20060102-150405-"), now.UnixMilli()%1000,
		binary.LittleEndian.Uint16(b[:])&0xfff)
}

// New makes a folder for a new run in parent, mode 0700.
func New(parent string) (Run, error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return Run{}, err
	}
	parent = safefile.Follow(parent) // as Root, which may not have been there before
	for {
		id := NewID()
		r := Run{id, filepath.Join(parent, id)}
		if err := os.Mkdir(r.Dir, 0o700); !errors.Is(err, fs.ErrExist) {
			return r, err
		}
	}
}

// List returns the runs in a folder, newest first; none if there is no folder. A subagent
// can make folders there, so one whose name could drive a terminal is no run.
func List(parent string) ([]Run, error) { return First(parent, -1) }

// First returns the first runs that the folder lists, in the order of List: no more than most,
// unless that is negative.
func First(parent string, most int) (runs []Run, err error) {
	f, err := os.Open(parent)
	if errors.Is(err, fs.ErrNotExist) || most == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(most)
	if err == io.EOF {
		err = nil
	}
	for _, e := range entries {
		if e.IsDir() && printable(e.Name()) {
			runs = append(runs, Run{e.Name(), filepath.Join(parent, e.Name())})
		}
	}
	slices.SortFunc(runs, func(a, b Run) int { return strings.Compare(b.ID, a.ID) })
	return runs, err
}

// Shipped returns the runs in a folder to which ua-journal ship brings those of many hosts,
// newest first, with HOST/ID as their IDs: two hosts may have made the same one.
func Shipped(dir string) (runs []Run, err error) {
	hosts, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, h := range hosts {
		if !h.IsDir() || !printable(h.Name()) {
			continue
		}
		list, err := List(filepath.Join(dir, h.Name()))
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			runs = append(runs, Run{h.Name() + "/" + r.ID, r.Dir})
		}
	}
	slices.SortStableFunc(runs, func(a, b Run) int {
		return strings.Compare(filepath.Base(b.Dir), filepath.Base(a.Dir))
	})
	return runs, nil
}

// printable reports whether no character of a name could drive a terminal.
func printable(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r == utf8.RuneError || !unicode.IsPrint(r)
	})
}

// Above returns the run that r is a subagent of, by the place of its folder.
func (r Run) Above() (above Run, ok bool) {
	sub := filepath.Dir(r.Dir)
	dir := filepath.Dir(sub)
	return Run{filepath.Base(dir), dir}, filepath.Base(sub) == SubFolder
}

// Top returns the run at the top of r's tree, r itself if none is above it.
func (r Run) Top() Run {
	for above, ok := r.Above(); ok; above, ok = r.Above() {
		r = above
	}
	return r
}

// Children returns the runs of r's subagents, newest first. A subagent can write there,
// so a link in place of the folder is not followed: a walk down the tree has to end.
func (r Run) Children() ([]Run, error) {
	sub := filepath.Join(r.Dir, SubFolder)
	if info, err := os.Lstat(sub); err != nil || !info.IsDir() {
		return nil, nil
	}
	return List(sub)
}

// The states of a run.
const (
	Accepted  = "accepted"  // its folder is there, the model has not been asked
	Running   = "running"   // a process drives it
	Waiting   = "waiting"   // and its model has answered, while jobs go on
	Completed = "completed" // its last line says status 0
	Failed    = "failed"    // it says another one, or there is none: the run was killed
	Timeout   = "timeout"   // a time, turn or budget limit ended it
	Cancelled = "cancelled" // a signal or a person ended it
)

// Waits says which jobs a run waits for.
func Waits(jobs []string) string { return Waiting + ": " + strings.Join(jobs, ", ") }

// Painted returns a state for people, padded to so many columns and in its colour.
func Painted(paint style.Style, state string, columns int) string {
	text := fmt.Sprintf("%-*s", columns, state)
	switch state {
	case Completed:
		return paint.Green(text)
	case Failed, Timeout:
		return paint.Red(text)
	case Cancelled:
		return paint.Yellow(text)
	}
	return paint.Cyan(text)
}

// EndState returns the state of a run that has ended with an exit status.
func EndState(status int) string {
	switch status {
	case 0:
		return Completed
	case prog.Limit:
		return Timeout
	case 128 + int(syscall.SIGINT), 128 + int(syscall.SIGTERM), 128 + int(syscall.SIGHUP),
		128 + int(syscall.SIGQUIT):
		return Cancelled
	}
	return Failed
}

// The variables by which programs know the run that has started them (ua(1),
// ENVIRONMENT). Only commands that start ua get them.
const (
	EnvDir     = "UA_RUN_DIR"       // the folder of the run that the command belongs to
	EnvJournal = "UA_JOURNAL"       // its journal
	EnvDepth   = "UA_DEPTH"         // how many runs are above the one that the command starts
	EnvGateway = "UA_GATEWAY"       // the socket by which a subagent reaches its model
	EnvToken   = "UA_GATEWAY_TOKEN" // the key that the gateway takes from it
	EnvMCP     = "UA_MCP"           // the socket by which a command reaches MCP servers
	EnvTrace   = "TRACEPARENT"      // W3C Trace Context
	EnvPath    = "UA_PATH"          // the PATH of commands, where PATH is prog.OutsidePath
)

// The variables by which a program knows what is around it (ua-sandbox(1), ua-shell(1)).
const (
	EnvLandFD  = "UA_LAND_FD" // the socket on which ua-exec asks ua-sandbox for a landing
	EnvSandbox = "UA_SANDBOX" // the tier of the sandbox around it
	// The terminal of the ua-shell around it: what has another one, such as a window
	// of tmux(1), is not inside.
	EnvShellTTY = "UA_SHELL_TTY"
)

// The names of files and folders in a run's folder.
const (
	JournalFile = "journal.jsonl"
	SubFolder   = "sub"
	OutFolder   = "out"
	MediaFolder = "media"
)

// The variables of ua-try. It sets the first for its command, and reads the second.
const (
	EnvTry      = "UA_TRY"       // the try that a process is in
	EnvTryTitle = "UA_TRY_TITLE" // what a list of tries shows in place of the command
)

// SandboxTmp begins the names of the folders in TMPDIR that sandboxes use as their tmp. A
// sandbox removes its own, and those of sandboxes that were killed.
const SandboxTmp = "ua-sandbox-"

// SandboxNotes returns the folder of the notes for ua-sandbox --last-look.
func SandboxNotes() string { return filepath.Join(xdg.State(), "sandboxes") }
