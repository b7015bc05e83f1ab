package classify

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/machine"
	"ua/internal/test/scripttest"
)

//go:embed testdata/bash.grammar
var bashGrammar string

// A grammar holds the ways to write what a rule stands for, by its name.
type grammar map[string][]string

func readGrammar(text string) grammar {
	g, rule := grammar{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch way, is := strings.CutPrefix(line, "\t"); {
		case is:
			g[rule] = append(g[rule], strings.ReplaceAll(way, "↵", "\n"))
		case !strings.HasPrefix(line, "#"):
			rule = line
		}
	}
	return g
}

// A writer writes a program by the grammar. Bytes choose among the ways: with fewer or smaller
// ones the program is a simpler one, and without any each rule is its first way.
type writer struct {
	grammar
	bytes  []byte
	mark   string // the command that a rule denies
	marked int    // at which of the places for commands and words it stands
	places int    // so far
}

// marks are the commands that are denied: one that nobody knows, and one that only reads.
var marks = []string{"zzmark", "uname"}

// program returns the program that the bytes stand for, and the mark in it. The first byte
// says which mark it is, and at which of the places.
func (g grammar) program(bytes []byte) (text, mark string) {
	first := 0
	if len(bytes) > 0 {
		first, bytes = int(bytes[0]), bytes[1:]
	}
	w := writer{grammar: g, bytes: bytes, mark: marks[first%len(marks)], marked: -1}
	w.hung("program")
	w = writer{grammar: g, bytes: bytes, mark: w.mark, marked: first / len(marks) % max(w.places, 1)}
	return w.hung("program"), w.mark
}

// choose returns a number below n.
func (w *writer) choose(n int) int {
	if len(w.bytes) == 0 {
		return 0
	}
	b := w.bytes[0]
	w.bytes = w.bytes[1:]
	return int(b) * n / 256
}

// hung returns a text by the rule in which the here-documents are behind their lines.
func (w *writer) hung(rule string) string {
	text := w.rule(rule)
	for {
		from := strings.LastIndex(text, "⟪") // no other one is inside of this one
		if from < 0 {
			return text
		}
		hangs, rest, _ := strings.Cut(text[from+len("⟪"):], "⟫")
		line, more, _ := strings.Cut(rest, "\n")
		text = text[:from] + line + "\n" + hangs + more
	}
}

// rule returns a text by the rule.
func (w *writer) rule(name string) string {
	if text, ok := w.place(name); ok {
		return text
	}
	ways := w.grammar[name]
	if ways == nil {
		panic("the grammar has no rule " + name)
	}
	var out strings.Builder
	for rest := ways[w.choose(len(ways))]; ; {
		before, after, found := strings.Cut(rest, "‹")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		var reference string
		reference, rest, _ = strings.Cut(after, "›")
		switch name, how, _ := strings.Cut(reference, "|"); how {
		case "q":
			out.WriteString(w.quoted(w.hung(name)))
		case "b":
			out.WriteString(strings.NewReplacer("\\", "\\\\", "`", "\\`").Replace(w.hung(name)))
		default:
			out.WriteString(w.rule(name))
		}
	}
}

// place returns what stands where the mark may stand: a command, a word, or the two halves of
// one.
func (w *writer) place(name string) (text string, ok bool) {
	if strings.Contains(" do word head ", " "+name+" ") {
		w.places++
	}
	marked := w.places-1 == w.marked
	switch {
	case name == "mark":
		return w.mark, true
	case name == "head" && marked:
		return w.mark[:2], true
	case name == "tail" && marked:
		return w.mark[2:], true
	case name == "head", name == "tail":
		return "a", true
	case name != "do" && name != "word":
		return "", false
	}
	way := w.choose(4)
	switch {
	case marked:
		return w.spelled(way), true
	case name == "do":
		return []string{"true", ":", "echo a", "false"}[way], true
	}
	return "a", true
}

// spelled returns the mark, mostly as it is.
func (w *writer) spelled(way int) string {
	a, b := w.mark[:2], w.mark[2:]
	if way < 3 {
		return w.mark
	}
	forms := []string{"'" + w.mark + "'", a + `""` + b, a + `\` + b, `"` + a + `"` + b,
		a + "\\\n" + b, fmt.Sprintf(`$'%s\x%x%s'`, a, b[0], b[1:]), "$'" + w.mark + `\0a'`,
		a + "$n" + b, a + "${n-}" + b, a + "$()" + b, "{" + w.mark + ",}", `$"` + w.mark + `"`,
		a + "``" + b, "${n:-" + w.mark + "}", "$(echo " + w.mark + ")", a + "{" + b + ",}"}
	return forms[w.choose(len(forms))]
}

// quoted returns the text in quotes.
func (w *writer) quoted(text string) string {
	switch w.choose(4) {
	case 0:
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	case 1:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(text) + `"`
	case 2:
		var out strings.Builder
		for i, c := range []byte(text) {
			switch {
			case i%3 == 0:
				fmt.Fprintf(&out, `\%03o`, c)
			case c == '\\' || c == '\'':
				out.WriteString(`\` + string(rune(c)))
			default:
				out.WriteByte(c)
			}
		}
		return "$'" + out.String() + "'"
	}
	// What is in it is expanded first.
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// A bench runs programs in a sandbox in which they can start nothing but the mark and what
// benchPrograms has, and write nothing but a temporary folder.
type bench struct{ sandbox, path string }

const benchPrograms = "bash sh env xargs find cat nice nohup timeout setsid stdbuf tee sed awk " +
	"tr cut rev base64 echo printf true false test chmod wc rm"

// benchMark is the mark's text: an interpreter that is given all that it does, so that a shell
// which takes the file for a script does nothing.
const benchMark = "#!/usr/bin/env -S /bin/sh -c 'echo >>\"$0\"' ${MARK}\n"

// benchLoop has the shell $3 run the files of the folder $1 and prints the names of those that ran
// the mark.
const benchLoop = `
mkdir /tmp/run /tmp/marks
for f in "$1"/p*; do
	cd /tmp/run && [ "$(echo *)" = '*' ] || rm -rf /tmp/run/*
	FUNCNEST=5 MARK=/tmp/marks/${f##*/p} PATH=$2 timeout -k 1 2 \
		$3 -c "$(<"$f")" </dev/null >/dev/null 2>&1
done
cd /tmp/marks && echo *
`

func newBench(t testing.TB) bench {
	scripttest.Need(t, strings.Fields(benchPrograms)...)
	b := bench{sandbox: filepath.Join(scripttest.Bin(t), "ua-sandbox"), path: t.TempDir()}
	if out, err := b.command("true").CombinedOutput(); err != nil {
		scripttest.Skip(t, scripttest.Refused, "ua-sandbox at tier 4: %s", out)
	}
	for name := range strings.FieldsSeq(benchPrograms) {
		program, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(program, filepath.Join(b.path, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range marks {
		scripttest.WriteProgram(t, filepath.Join(b.path, name), []byte(benchMark))
	}
	return b
}

// command returns a command in the sandbox that reads the folders. Tier 4 bounds the processes
// of root too: programs of the grammar start themselves again.
func (b bench) command(words ...string) *exec.Cmd {
	return exec.Command(b.sandbox, append([]string{"--profile", "read-only", "--tier", "4", "--quiet",
		"--fsize", "1M", "--pids", "200", "--read", b.path, "--"}, words...)...)
}

// plainBash is bash as it runs the programs, without the settings of whoever tests.
const plainBash = "bash --noprofile --norc"

// marked has the shell run the programs and returns the numbers of those that have run the mark.
func (b bench) marked(t testing.TB, shell string, programs ...string) (ran []int) {
	dir, err := os.MkdirTemp(b.path, "programs")
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range programs {
		if err := os.WriteFile(fmt.Sprintf("%s/p%06d", dir, i), []byte(p), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	name, flags, _ := strings.Cut(shell, " ")
	if name, err = exec.LookPath(name); err != nil {
		t.Fatal(err)
	}
	out, err := b.command("bash", "-c", benchLoop, "bash", dir, b.path, name+" "+flags).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name := range strings.FieldsSeq(string(out)) {
		if i, err := strconv.Atoi(name); err == nil {
			ran = append(ran, i)
		}
	}
	return ran
}

// TestGrammarAgainstBash holds that no program of some hundred runs a command that a rule
// denies and does not find.
func TestGrammarAgainstBash(t *testing.T) {
	testGrammar(t, readGrammar(bashGrammar), plainBash, &here)
}

func testGrammar(t *testing.T, g grammar, shell string, o *machine.Options) {
	b, r := newBench(t), rand.New(rand.NewPCG(1, 2))
	var programs, names []string
	for range 200 {
		program, mark := g.program(randomBytes(r, 40))
		programs, names = append(programs, program), append(names, mark)
	}
	ran := b.marked(t, shell, programs...)
	if len(ran) < len(programs)/10 {
		t.Errorf("no more than %d of %d programs have run the mark", len(ran), len(programs))
	}
	for _, i := range ran {
		if !seenBy(programs[i], names[i], o) {
			t.Errorf("%s runs unseen:\n%s", names[i], programs[i])
		}
	}
}

func randomBytes(r *rand.Rand, most int) []byte {
	bytes := make([]byte, 2+r.IntN(most))
	for i := range bytes {
		bytes[i] = byte(r.Uint32())
	}
	return bytes
}

// FuzzGrammar holds the same of the programs that the fuzzer's bytes stand for.
func FuzzGrammar(f *testing.F) {
	b, g, r := newBench(f), readGrammar(bashGrammar), rand.New(rand.NewPCG(3, 4))
	for range 20 {
		f.Add(randomBytes(r, 40))
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		if program, mark := g.program(bytes); !seen(program, mark) &&
			len(b.marked(t, plainBash, program)) > 0 {
			t.Errorf("%s runs unseen:\n%s", mark, program)
		}
	})
}
