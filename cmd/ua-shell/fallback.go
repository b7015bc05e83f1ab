package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"ua/cmd/ua-shell/internal/agent"
	"ua/cmd/ua-shell/internal/screen"
)

// A fallback is what an agent can be in a shell that does not say what it is at:
// keys are all that is known of a line, so that ## is its prefix, and what it asks
// for is done by ua in its sandbox, in the shell's folder, beside the shell.
type fallback struct {
	*wrapper
	show    *screen.Screen
	line    []byte // what was typed since Enter, as far as that can be known
	unknown bool   // a key has moved or changed it otherwise
	program *os.Process
	said    bool
}

// begin takes the keys, and says so once.
func (f *fallback) begin() {
	if !f.said {
		f.said = true
		f.show.Say("%s", f.show.Paint.Dim("This shell does not tell when it is at its prompt: ## asks "+
			"ua, which works in a sandbox beside it."))
	}
	f.relay.Input = f.input
}

// input passes everything on and looks for a line that begins with ##. Ctrl-C is
// for the ua that runs.
func (f *fallback) input(p []byte) {
	if f.program != nil {
		if strings.ContainsRune(string(p), 3) {
			syscall.Kill(-f.program.Pid, syscall.SIGINT)
		}
		return
	}
	f.relay.Type(p)
	for len(p) > 0 && f.program == nil {
		r, n := utf8.DecodeRune(p)
		f.key(r, p[:n])
		p = p[n:]
	}
}

func (f *fallback) key(r rune, bytes []byte) {
	switch {
	case r == '\r' || r == '\n':
		line := string(f.line)
		whole := !f.unknown
		f.line, f.unknown = nil, false
		if text, ok := strings.CutPrefix(line, "##"); ok && whole && strings.TrimSpace(text) != "" {
			f.ask(strings.TrimSpace(text))
		}
	case r == 3 || r == 0x15:
		f.line, f.unknown = nil, false
	case r == 0x7f || r == 8:
		_, n := utf8.DecodeLastRune(f.line)
		f.line = f.line[:len(f.line)-n]
	case r < 0x20:
		f.unknown = true
	case len(f.line) < 64<<10:
		f.line = append(f.line, bytes...)
	}
}

func (f *fallback) ask(text string) {
	var err error
	f.show.Say("")
	if f.program, err = agent.Outside(text, f.cwd(), f.relay.Post, f.show,
		func() { f.program = nil; f.show.EndLine() }); err != nil {
		f.show.Say("%s %v", f.show.Paint.Red("✗"), err)
	}
}

// cwd is the shell's folder, or ours where the system does not tell.
func (f *fallback) cwd() string {
	dir, err := os.Readlink("/proc/" + strconv.Itoa(f.child.PID) + "/cwd")
	if err != nil {
		dir, _ = os.Getwd()
	}
	return dir
}
