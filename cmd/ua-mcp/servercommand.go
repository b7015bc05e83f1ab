package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"os"
	"slices"
	"strings"

	"ua/cmd/ua-mcp/internal/tool"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/style"
)

// A question is what a command in a run asks of ua-mcp outside, in one line of JSON. The
// answer comes as lines, each a tool.Reply; the last one has the exit status.
type question struct {
	Token string   `json:"token"`
	Name  string   `json:"name"`
	Words []string `json:"words"`
	Stdin string   `json:"stdin,omitempty"`
}

// questionMax is the longest question, answerMax the longest line of an answer, in bytes.
const (
	questionMax = 16 << 20
	answerMax   = 64 << 20
)

// ask asks the server called name as a command of a run does.
func ask(env *prog.Env, name string, words []string) error {
	socket := os.Getenv(run.EnvMCP)
	if socket == "" {
		return prog.Errorf(prog.No, "%s: MCP servers answer only the run's own commands, where the "+
			"gate has seen %s in the command", name, name).
			Hintf("write %s TOOL plainly, not in a script; a subagent has no servers", name)
	}
	stdin, err := input(env, words)
	if err != nil {
		return err
	}
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return prog.Errorf(prog.TryLater, "%s: no MCP servers can be reached in this run", name)
	}
	defer conn.Close()
	line := jsonOf(question{os.Getenv(run.EnvToken), name, words, stdin})
	if len(line) >= questionMax {
		return prog.Errorf(prog.Trouble, "%s: the arguments are longer than 16 MiB", name)
	}
	_, _ = conn.Write(append(line, '\n')) // why it did not go, the answer says
	p := &printer{env: env, name: name}
	in := bufio.NewScanner(conn)
	in.Buffer(nil, answerMax)
	for in.Scan() && p.err == nil {
		var r tool.Reply
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			break
		}
		if r.Exit != nil {
			p.print(r)
			return exit(*r.Exit)
		}
		p.print(r)
	}
	if p.err != nil {
		return p.err
	}
	return prog.Errorf(prog.TryLater, "%s: the answer broke off", name)
}

// exit returns the error that ends with a status.
func exit(status int) error {
	if status == 0 {
		return nil
	}
	return prog.Exit(status)
}

// input reads standard input where the words ask for it.
func input(env *prog.Env, words []string) (string, error) {
	if !wantsInput(words) {
		return "", nil
	}
	text, err := io.ReadAll(io.LimitReader(env.Stdin, questionMax))
	if err == nil && len(text) == questionMax {
		err = errors.New("longer than 16 MiB")
	}
	if err != nil {
		return "", prog.Errorf(prog.Trouble, "standard input: %v", err)
	}
	return string(text), nil
}

// wantsInput reports whether the words take standard input.
func wantsInput(words []string) bool { return slices.Contains(words, "-") }

// A printer prints an answer.
type printer struct {
	env    *prog.Env
	name   string
	escape *style.Escaper // for a terminal
	err    error          // the first thing that could not be written
}

// print prints a part of an answer. A picture or the like becomes a file in TMPDIR, under a
// name that the server has no part in.
func (p *printer) print(r tool.Reply) {
	out := r.Out
	if r.File != nil {
		path, err := keep(p.name, r.File)
		if err != nil {
			p.err = err
			return
		}
		out += fmt.Sprintf("%s: %s\n", strings.Map(plain, r.File.Media), path)
	}
	if r.Err != "" {
		fmt.Fprint(p.env.Stderr, style.Printable(strings.TrimSuffix(r.Err, "\n"))+"\n")
	}
	var err error
	if p.escape != nil {
		_, err = p.escape.Write([]byte(out))
		err = errors.Join(err, p.escape.Flush())
	} else {
		_, err = io.WriteString(p.env.Out(), out)
	}
	if err != nil && p.err == nil {
		p.err = prog.Errorf(prog.Trouble, "%v", err)
	}
}

// plain keeps the characters of a media type.
func plain(r rune) rune {
	if r > ' ' && r < 0x7f {
		return r
	}
	return -1
}

// keep writes a file to TMPDIR and returns its path.
func keep(name string, file *tool.File) (string, error) {
	end := ".bin"
	for media, ext := range map[string]string{"image/png": ".png", "image/jpeg": ".jpg",
		"image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg", "audio/wav": ".wav",
		"audio/mpeg": ".mp3", "application/pdf": ".pdf"} {
		if base, _, err := mime.ParseMediaType(file.Media); err == nil && base == media {
			end = ext
		}
	}
	f, err := os.CreateTemp("", name+"-*"+end)
	if err != nil {
		return "", prog.Errorf(prog.Trouble, "%v", err)
	}
	_, err = f.Write(file.Data)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", prog.Errorf(prog.Trouble, "%v", err)
	}
	return f.Name(), nil
}

// jsonOf returns v, which can be written as JSON.
func jsonOf(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return b
}
