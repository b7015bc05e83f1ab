package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/verdict"
)

// judgedCalls are what the gate has allowed the calls of a run to ask of servers. A token of a
// command counts for what stands in the verdict on its call, and for nothing else.
type judgedCalls struct {
	token string // from which those of calls are made
	lives string // the folder with a file for each command that runs

	mu      sync.Mutex
	arrived *sync.Cond
	judged  []judgement
}

// A judgement is what the gate has allowed a call to ask of servers.
type judgement struct {
	call  string
	parts []part
}

// A part is a simple command of a call, and the level at which it was judged.
type part struct {
	words []string
	level verdict.Level
}

// hear takes the verdicts, which are events.
func (c *judgedCalls) hear(in io.Reader) {
	r := event.NewReader(in)
	for {
		line, err := r.Line()
		if err != nil && errors.Is(err, io.EOF) {
			return
		}
		if err != nil || event.Type(line) != "verdict" ||
			event.Str(line, "decision") != string(verdict.Allow) {
			continue
		}
		j := judgement{call: event.Str(line, "call_id")}
		for _, p := range gjson.GetBytes(line, "simple").Array() {
			level, err := verdict.ParseLevel(p.Get("level").Str)
			words := plainWords(strings.Fields(p.Get("text").Str))
			// The row says that the gate took the command for the server's, and not for a
			// program of the same name in the workspace.
			row, _, _ := strings.Cut(p.Get("row").Str, " ")
			if err == nil && len(words) > 0 && row == words[0] {
				j.parts = append(j.parts, part{words, level})
			}
		}
		c.mu.Lock()
		c.judged = append(c.judged, j)
		if len(c.judged) > mostJudged {
			c.judged = c.judged[1:]
		}
		c.arrived.Broadcast()
		c.mu.Unlock()
	}
}

// mostJudged is how many verdicts are remembered.
const mostJudged = 1000

// isPlain matches a word that stands for itself in every shell.
var isPlain = regexp.MustCompile(`^[A-Za-z0-9_./=:@%+-]+$`)

// plainWords returns the words of a simple command without assignments in front, as far as they
// are plain.
func plainWords(words []string) []string {
	for len(words) > 0 && strings.Contains(words[0], "=") && isPlain.MatchString(words[0]) {
		words = words[1:]
	}
	for i, w := range words {
		if !isPlain.MatchString(w) {
			return words[:i]
		}
	}
	return words
}

// parts returns what the verdict on the call allows whose command has the token. The verdict
// may still be on its way.
func (c *judgedCalls) parts(token string) ([]part, error) {
	id, ok := run.CommandOf(c.token, token)
	if info, err := os.Lstat(filepath.Join(c.lives, run.LiveName(id))); !ok || err != nil ||
		!info.Mode().IsRegular() {
		return nil, prog.Errorf(prog.No, "this is no command that the gate has just judged")
	}
	late := time.AfterFunc(verdictPatience, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.arrived.Broadcast()
	})
	defer late.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for end := time.Now().Add(verdictPatience); ; c.arrived.Wait() {
		for _, j := range slices.Backward(c.judged) {
			if run.IsOf(id, j.call) {
				return j.parts, nil
			}
		}
		if !time.Now().Before(end) {
			return nil, prog.Errorf(prog.No, "the gate has said nothing of MCP servers in this call")
		}
	}
}

// verdictPatience is how long a verdict may take from the gate to here, after its command
// has begun.
const verdictPatience = 3 * time.Second

// may returns why the words may not be asked of the server: the gate has to have judged
// a simple command with the same server and tool, at the level that the tool wants at least.
func may(parts []part, name string, words []string, least verdict.Level) error {
	n := min(len(words), 1)
	if n > 0 && words[0] == "call" {
		n = min(len(words), 2)
	}
	high := false
	for _, p := range parts {
		if len(p.words) <= n || p.words[0] != name || !slices.Equal(p.words[1:1+n], words[:n]) {
			continue
		}
		if p.level >= least {
			return nil
		}
		high = true
	}
	said := strings.Join(append([]string{name}, words[:n]...), " ")
	if high {
		return prog.Errorf(prog.No, "the tool says that it may destroy something, and %q was judged "+
			"below that", said).Hintf("add --destroys behind the tool's name, for the gate")
	}
	return prog.Errorf(prog.No, "%q is not among what the gate has judged in this call", said).
		Hintf("write both words plainly in the command itself, without quotes, variables or a script")
}
