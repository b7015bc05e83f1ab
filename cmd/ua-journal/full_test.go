package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/test/scripttest"
)

// ways is a script that brings the file in to a journal that has no room for it,
// at once and with a process for each line. $1 goes before the program, $2 is the
// folder without room.
const ways = `
	{ $1 ua-journal append --tee $2/j.jsonl <in; echo $?; } 2>&1 | cat >together
	cp $2/j.jsonl j.together; rm $2/j.jsonl
	{ status=0
	while IFS= read -r line; do
		printf '%s\n' "$line" | $1 ua-journal append --tee $2/j.jsonl || { status=$?; break; }
	done <in; echo $status; } 2>&1 | cat >alone
	cp $2/j.jsonl j.alone; rm $2/j.jsonl
`

// sameWays compares what the two ways left in dir: bytes of the journal, lines
// that were passed on, the truth that came last, and the status. It returns how
// many lines were kept.
func sameWays(t *testing.T, dir, name string) int {
	t.Helper()
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	together, alone := read("j.together"), read("j.alone")
	if !bytes.Equal(together, alone) ||
		len(together) > 0 && !bytes.HasSuffix(together, []byte("\n")) {
		t.Errorf("%s: together %d bytes are kept, line by line %d:\n%.300s\n%.300s", name, len(together),
			len(alone), together, alone)
	}
	said := func(name string) (all []string) {
		for line := range strings.Lines(string(read(name))) {
			if event.Type([]byte(line)) == "error" {
				line = event.Str([]byte(line), "message") + "\n"
			}
			all = append(all, line)
		}
		return all
	}
	if a, b := said("together"), said("alone"); strings.Join(a, "") != strings.Join(b, "") {
		t.Errorf("%s: together, line by line:\n%.900s\n%.900s", name, a, b)
	}
	return bytes.Count(together, []byte("\n"))
}

// sample is lines of about so many bytes, deltas between them, of which the first
// has shift bytes more; ends are the offsets at which the lines that are kept end
// in the journal.
func sample(n, size, shift int) (in []byte, ends []int) {
	prev := journal.Hash([]byte(journal.First))
	at := 0
	var seal journal.Sealer
	for i := range n {
		line := fmt.Appendf(nil, `{"type":"message","n":%d,"text":"%s"}`, i,
			strings.Repeat("z", size+shift+i))
		in = append(append(in, line...), "\n"+`{"type":"delta","text":"d"}`+"\n"...)
		seal.Begin(line)
		line, prev = seal.End(nil, prev)
		at += len(line) + 1
		ends, shift = append(ends, at), 0
	}
	return in, ends
}

func (p *place) script(text string, args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin = strings.NewReader(text)
	cmd.Dir, cmd.Env = p.dir, []string{"HOME=" + p.dir, "PATH=" + filepath.Dir(p.bin) + ":" +
		os.Getenv("PATH")}
	return cmd
}

// At the limit of a file's size lines that came together are kept, passed on and
// told of like lines that came alone, wherever in a line the limit lies.
func TestCutBatch(t *testing.T) {
	scripttest.Need(t, "prlimit")
	p := newPlace(t)
	in, ends := sample(4, 60, 0)
	os.WriteFile(filepath.Join(p.dir, "in"), in, 0o600)
	for i, end := range ends {
		for limit := end - 3; limit <= end+3; limit++ {
			sh := p.script(ways, "sh", "-s", fmt.Sprintf("prlimit --fsize=%d", limit), ".")
			if out, err := sh.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			want := i
			if limit >= end {
				want++
			}
			if kept := sameWays(t, p.dir, fmt.Sprintf("limit %d", limit)); kept != want {
				t.Errorf("limit %d: %d lines are kept, want %d", limit, kept, want)
			}
		}
	}
}

// So it is where a full disk cuts a batch: it has five pages, and the end of a
// line lies before, at and behind the end of the last one.
func TestFullDiskBatch(t *testing.T) {
	scripttest.Need(t, "unshare")
	p := newPlace(t)
	if out, err := exec.Command("unshare", "-rm", "true").CombinedOutput(); err != nil {
		scripttest.Skip(t, scripttest.Refused, "no tmpfs can be mounted here: %s", out)
	}
	room := 5 * os.Getpagesize()
	_, ends := sample(30, 1000, 0)
	near := 0
	for ends[near] < room {
		near++
	}
	os.Mkdir(filepath.Join(p.dir, "disk"), 0o700)
	for past := -3; past <= 3; past++ {
		in, ends := sample(30, 1000, room+past-ends[near-1])
		if ends[near-1] != room+past {
			t.Fatalf("the line ends at %d", ends[near-1])
		}
		os.WriteFile(filepath.Join(p.dir, "in"), in, 0o600)
		mount := fmt.Sprintf("mount -t tmpfs -o size=%d,mode=700 none disk\n", room)
		if out, err := p.script(mount+ways, "unshare", "-rm", "sh", "-s", "",
			"./disk").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		want := near
		if past > 0 {
			want--
		}
		if kept := sameWays(t, p.dir, fmt.Sprintf("past %d", past)); kept != want {
			t.Errorf("past %d: %d lines are kept, want %d", past, kept, want)
		}
	}
}
