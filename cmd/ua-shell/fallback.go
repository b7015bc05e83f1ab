package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-shell/internal/agent"
	"ua/cmd/ua-shell/internal/keys"
	"ua/cmd/ua-shell/internal/screen"
	"ua/internal/common/style"
)

// A fallback is the agent of a shell that prints no marks. Only keys are known of the
// line that is typed, so the prefix is ## here. ua does what is asked, in its own
// sandbox, in the shell's folder and beside the shell.
type fallback struct {
	*wrapper
	show    *screen.Screen
	line    []byte // what was typed since Enter, as far as that can be known
	unknown bool   // a key has moved or changed it otherwise
	program *os.Process
	held    []byte // what was typed since the program was started
	said    bool
}

// begin takes over the keys. The first time it tells the person how to ask.
func (f *fallback) begin() {
	if !f.said {
		f.said = true
		f.show.Say("%s", f.show.Paint.Dim("This shell doesn't say when it is at its prompt: ## asks "+
			"ua, which works in a sandbox beside it."))
	}
	f.relay.Input = f.input
}

// input passes keys to the shell and looks for a line that begins with ##. While ua runs,
// Ctrl-C goes to ua, and other keys are held until it has ended.
func (f *fallback) input(p []byte) {
	if f.program == nil {
		f.held = f.pass(p)
		return
	}
	answers, typed := keys.Part(p)
	f.relay.Type(answers)
	for _, c := range typed {
		if c == keys.CtrlC {
			syscall.Kill(-f.program.Pid, syscall.SIGINT)
		} else if len(f.held) < agent.MaxHeld {
			f.held = append(f.held, c)
		}
	}
}

// pass passes on what is typed, up to a line for ua, and returns what follows that line.
func (f *fallback) pass(p []byte) (rest []byte) {
	passed := 0
	for i := 0; i < len(p); {
		r, n := utf8.DecodeRune(p[i:])
		i += n
		if r != '\r' && r != '\n' {
			f.key(r, p[i-n:i])
			continue
		}
		asked := f.entered()
		if asked == "" {
			continue
		}
		// The shell gets the line and its Enter too.
		f.relay.Type(p[passed:i])
		passed = i
		if f.ask(asked); f.program != nil {
			return append([]byte(nil), p[i:]...)
		}
	}
	f.relay.Type(p[passed:])
	return nil
}

// entered ends the line and returns what it asks ua, "" for nothing.
func (f *fallback) entered() string {
	line, whole := string(f.line), !f.unknown
	f.line, f.unknown = nil, false
	text, ok := strings.CutPrefix(line, "##")
	if !ok || !whole || f.reader() == 0 {
		return ""
	}
	return strings.TrimSpace(text)
}

// key keeps track of the line by one key. Ctrl-C and Ctrl-U empty it, backspace takes a
// character back, and any other control character makes it unknown: a line editor may
// have moved or changed anything then.
func (f *fallback) key(r rune, bytes []byte) {
	switch {
	case r == keys.CtrlC || r == 0x15:
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

// ask starts ua for the text. The terminal shows an error where that fails.
func (f *fallback) ask(text string) {
	var err error
	f.show.Say("")
	f.program, err = agent.RunUA(text, f.profile, f.cwd(), f.relay.Post, f.show, f.ended)
	if err != nil {
		f.show.Say("%s %v", f.show.Paint.Red(style.Mark("✗")), err)
	}
}

// ended is called when ua has ended. The shell drew its prompt before ua printed, so it
// has to draw it again: every shell answers an Enter with a prompt. The shell then gets
// the keys that were held.
func (f *fallback) ended() {
	f.program = nil
	f.show.EndLine()
	if f.reader() != 0 {
		f.relay.Type([]byte{'\r'})
	}
	held := f.held
	f.held = nil
	f.input(held)
}

// reader returns the process group in the foreground if it runs the program that was
// started as the shell, and 0 if it runs another: keys belong to that one then. Where the
// system does not tell, it returns the shell's own.
func (f *fallback) reader() (pid int) {
	group, err := unix.IoctlGetInt(f.child.PTY, unix.TIOCGPGRP)
	if err != nil {
		return f.child.PID
	}
	runs, err := os.Stat("/proc/" + strconv.Itoa(group) + "/exe")
	if err != nil {
		return f.child.PID
	}
	shell, err := os.Stat(f.path)
	if err == nil && !os.SameFile(runs, shell) {
		return 0
	}
	return group
}

// cwd returns the shell's folder, or ours where the system does not tell (proc(5),
// /proc/PID/cwd). A confined shell can go to folders that it may not write, so ours, for
// which it was started, stays the folder there.
func (f *fallback) cwd() string {
	if f.profile != "" {
		dir, _ := os.Getwd()
		return dir
	}
	dir, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(f.reader()), "cwd"))
	if err != nil {
		dir, _ = os.Getwd()
	}
	return dir
}
