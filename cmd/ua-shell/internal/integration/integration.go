// Package integration has a shell tell what it is doing, without a trace in the user's
// files. It starts the shell with a script of ours, which reads the user's own start-up
// files first and then adds our functions to the shell's hooks.
package integration

import (
	"crypto/rand"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-shell/internal/mark"
	"ua/cmd/ua-shell/internal/shell"
	"ua/internal/common/procfs"
	"ua/internal/common/safefile"
)

//go:embed scripts
var scripts embed.FS

// An Integration is the folder through which a shell and ua-shell meet, mode 0700. It
// holds the scripts until they are read, and a FIFO for our answers.
type Integration struct {
	Folder  string
	Nonce   string
	PID     int      // the shell's, from its first prompt on; 0 if it is not known
	shell   string   // its name, once it is prepared
	answers *os.File // the FIFO
	token   string   // of the hook that waits now, "" for none
	before  string   // the last one
	key     string   // to the next line that is typed, "" once it has come
}

// Fits reports whether we have a script for the shell and the shell will read it: it has
// to be interactive and to read its start-up files.
func Fits(s shell.Shell) bool {
	switch s.Name() {
	case "bash":
		return !stops(s.Args, "c", "norc", "posix", "rcfile", "init-file")
	case "zsh":
		return !stops(s.Args, "cf", "no-rcs", "norcs")
	case "fish":
		return !stops(s.Args, "cnN", "command", "no-config", "no-execute")
	}
	return false
}

// stops reports whether one of the arguments is an operand, an option with one of
// the letters, or one of the long options: a script is run, or no start-up file
// is read.
func stops(args []string, letters string, long ...string) bool {
	for _, a := range args {
		name, isLong := strings.CutPrefix(a, "--")
		switch {
		case isLong:
			name, _, _ = strings.Cut(name, "=")
			if slices.Contains(long, name) {
				return true
			}
		case len(a) < 2 || a[0] != '-' && a[0] != '+' || strings.ContainsAny(a[1:], letters):
			return true
		}
	}
	return false
}

// New makes the folder and the FIFO, in $XDG_RUNTIME_DIR or else in a folder for
// temporary files. The error says why none could be made.
func New() (*Integration, error) {
	in := &Integration{Nonce: random()}
	var err error
	for _, parent := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"} {
		// The scripts hold the path in single quotes.
		if !filepath.IsAbs(parent) || strings.ContainsRune(parent, '\'') {
			continue
		}
		if in.Folder, err = os.MkdirTemp(parent, "ua-shell-"); err == nil {
			break
		}
	}
	if in.Folder == "" {
		return nil, errors.Join(errors.New("no folder for the shell's integration can be made"),
			err)
	}
	if in.answers, err = fifo(in.path("go")); err != nil {
		os.RemoveAll(in.Folder)
		return nil, err
	}
	return in, nil
}

// fifo makes a FIFO and opens it. With a writer open a reader waits for lines and does not
// see an end.
func fifo(path string) (*os.File, error) {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, err
	}
	return openFIFO(path, os.O_RDWR)
}

// openFIFO opens the FIFO at path, if it is one. A confined shell can write to the folder,
// so nothing that it puts there is followed, waited for or written to.
func openFIFO(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeType != os.ModeNamedPipe {
		f.Close()
		return nil, errors.Join(err, errors.New(path+": not a FIFO"))
	}
	return f, nil
}

// Restore puts a new FIFO in the place of what a program has put where ours was. A shell
// that waits at another FIFO, where nobody answers, sees an end and goes to its prompt.
func (in *Integration) Restore() {
	path := in.path("go")
	ours, err := in.answers.Stat()
	there, err2 := os.Lstat(path)
	if err != nil || err2 == nil && os.SameFile(ours, there) {
		return
	}
	if other, err := openFIFO(path, os.O_WRONLY); err == nil {
		defer other.Close()
	}
	os.Remove(path)
	if f, err := fifo(path); err == nil {
		in.answers.Close()
		in.answers = f
	}
}

// path returns the path of a file in the folder.
func (in *Integration) path(name string) string { return filepath.Join(in.Folder, name) }

// Prepare writes the scripts for the shell and returns the shell with the arguments and
// the variables that have it read them.
func (in *Integration) Prepare(s shell.Shell) (shell.Shell, error) {
	login := ""
	var err error
	in.shell = s.Name()
	switch in.shell {
	case "bash":
		// bash reads no --rcfile as a login shell, so the script does what a login shell
		// does.
		s.Args = slices.DeleteFunc(slices.Clone(s.Args), func(a string) bool {
			if a == "-l" || a == "--login" {
				login = "login"
			}
			return a == "-l" || a == "--login"
		})
		err = errors.Join(in.write("bash.sh", "bash.sh", login),
			os.WriteFile(in.path("trap"), nil, 0o600)) // the user's DEBUG trap
		s.Args = append([]string{"--rcfile", in.path("bash.sh")}, s.Args...)
	case "zsh":
		if dir, ok := os.LookupEnv("ZDOTDIR"); ok {
			s.Env = append(s.Env, "UA_SHELL_ZDOTDIR="+dir)
		}
		s.Env = append(slices.Clip(s.Env), "ZDOTDIR="+in.Folder)
		err = errors.Join(in.write(".zshenv", "zshenv.zsh", login),
			in.write("init.zsh", "init.zsh", login))
	case "fish":
		err = in.write("init.fish", "init.fish", login)
		s.Args = append([]string{"--init-command", "source '" + in.path("init.fish") + "'"},
			s.Args...)
	}
	return s, err
}

// write writes a script to the folder, with the nonce, the folder and "login" filled in.
func (in *Integration) write(name, script, login string) error {
	text, err := scripts.ReadFile("scripts/" + script)
	if err != nil {
		return err
	}
	filled := strings.NewReplacer("@NONCE@", in.Nonce, "@FOLDER@", in.Folder, "@LOGIN@",
		"'"+login+"'").Replace(string(text))
	return os.WriteFile(in.path(name), []byte(filled), 0o600)
}

// Loaded removes the scripts once the shell has read them.
func (in *Integration) Loaded() {
	for _, name := range []string{"bash.sh", ".zshenv", "init.zsh", "init.fish"} {
		os.Remove(in.path(name))
	}
}

// random returns 16 random bytes in hexadecimal digits.
func random() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// Tell gives the hook that waits a token and has it tell what the shell is at. Told once
// more it gets the same token.
func (in *Integration) Tell() (token string) {
	if in.token == "" {
		in.token = random()
	}
	in.say("tell " + in.token)
	return in.token
}

// toRead is how long the hook may take to read a line that the FIFO does not hold at once.
const toRead = time.Second

// say writes a line to the hook that waits. A FIFO that somebody has filled takes none: that
// hook is asked again later. Only the rest of a line that it takes in part is waited for.
func (in *Integration) say(line string) {
	rest := []byte(line + "\n")
	if raw, err := in.answers.SyscallConn(); err == nil {
		in.answers.SetWriteDeadline(time.Now().Add(toRead))
		raw.Write(func(fd uintptr) bool {
			n, _ := unix.Write(int(fd), rest)
			rest = rest[max(n, 0):]
			return len(rest) == 0 || len(rest) > len(line)
		})
	}
}

// Waits reports whether the shell is reading the FIFO, as its hook does that waits for an
// answer. A program that has learnt the nonce can print the mark of a hook, but cannot
// put the shell into that read. Waits is true where the system does not tell.
func (in *Integration) Waits() bool {
	proc := fmt.Sprintf("/proc/%d/fd", in.PID)
	fds, err := os.ReadDir(proc)
	ours, err2 := in.answers.Stat() // what is now at its path may be a command's
	if in.PID == 0 || err != nil || err2 != nil {
		return true
	}
	reads, told := procfs.Reading(in.PID)
	return slices.ContainsFunc(fds, func(fd os.DirEntry) bool {
		if told && fd.Name() != reads {
			return false
		}
		file, err := os.Stat(filepath.Join(proc, fd.Name()))
		return err == nil && os.SameFile(file, ours)
	})
}

// Ask asks the hook that waits, which answers with a mark: "env" and names, for the
// exported variables and those of the names (see Environ); "cd" and a folder, or "new" and a
// name, for whether that is plain in this shell.
func (in *Integration) Ask(what string) { in.say(in.token + " " + what) }

// Environ returns the variables that the hook has written down.
func (in *Integration) Environ() ([]string, error) {
	f, err := safefile.Open(in.path("env"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer os.Remove(f.Name())
	text, err := io.ReadAll(io.LimitReader(f, maxEnviron))
	if err == nil && len(text) == 0 {
		err = errors.New("/usr/bin/env -0 doesn't print the shell's variables")
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00"), err
}

// maxEnviron is how many bytes of variables are read: execve(2) takes no more.
const maxEnviron = 6 << 20

// Token returns what Tell gave to the hook that waits, "" once it was let go.
func (in *Integration) Token() string { return in.token }

// Told reports whether a mark with the token comes from the hook that waits now. No other
// program knows the token, since only the shell reads the FIFO.
func (in *Integration) Told(token string) bool { return token != "" && token == in.token }

// Known reports whether the token is one of the last two, so that nobody made it up.
func (in *Integration) Known(token string) bool {
	return in.Told(token) || token != "" && token == in.before
}

// Typed reports whether a mark with the key comes from the line editor. A key holds for
// one line: the commands of that line can find it in the shell's variables.
func (in *Integration) Typed(key string) bool {
	if key == "" || key != in.key {
		return false
	}
	in.key = ""
	return true
}

// let ends the wait: what follows is the last that the hook reads. It returns the start of
// an answer, with the key to the next line.
func (in *Integration) let(how string) (answer string) {
	answer = in.token + " " + how
	in.before, in.token, in.key = in.token, "", random()
	return answer + " " + in.key
}

// Done lets the hook that waits go on to the prompt.
func (in *Integration) Done() { in.say(in.let("done")) }

// Run lets the hook go on to the prompt with a command. Each variable (NAME=VALUE, without
// a newline) is exported until the command has run. key is what has to be typed for the
// shell to take the command exactly as it is, without completing, expanding or trimming
// it. It is "" for a shell that takes pasted text that way. A line that does not end with its
// key has lost a part on its way, and the hook passes it over.
func (in *Integration) Run(command string, variables ...string) (key string) {
	var b strings.Builder
	for _, v := range variables {
		b.WriteString(in.token + " set " + v + "\n")
	}
	b.WriteString(in.let("run"))
	switch in.shell {
	case "zsh":
		b.WriteString(" " + mark.Quote('q', command) + " " + in.key)
		key = takeKey
	case "fish":
		b.WriteString(" " + mark.Quote('u', command) + " " + in.key)
		key = takeKey
	}
	in.say(b.String())
	return key
}

// takeKey is the key that the scripts of zsh and fish bind for this.
const takeKey = "\x1b[7283~"

// Close removes the folder and all in it.
func (in *Integration) Close() {
	in.answers.Close()
	os.RemoveAll(in.Folder)
}
