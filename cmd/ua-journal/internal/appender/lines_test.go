package appender

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/event"
	"ua/internal/common/journal"
)

// stream is events with junk between them, in lines of all lengths.
func stream(seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 0))
	var in bytes.Buffer
	for range random.IntN(3000) {
		switch random.IntN(100) {
		case 0:
			in.WriteString("\n")
		case 1:
			in.WriteString("junk\n")
		case 2:
			in.WriteString(" \t\n[]\n")
		case 3:
			in.WriteString(`{"type":"long","x":"` + strings.Repeat("y", random.IntN(20000)) + "\"}\n")
		case 4:
			in.WriteString(`{"type":"delta"}` + "\n")
		case 5:
			in.WriteString(`{"type":"tool_result","media":[{"media_type":"image/png","data":"aGk="}]}` +
				"\n")
		default:
			in.WriteString(`{"type":"message","x":"` + strings.Repeat("y", random.IntN(300)) + "\"} \r\n")
		}
	}
	in.WriteString(`{"type":"message"}`)
	return in.Bytes()
}

// A source gives what a Reader gives, in order and at the same offsets, whatever
// stands between the events and however the stream comes.
func TestSource(t *testing.T) {
	for seed := range uint64(60) {
		in := stream(seed)
		want := event.NewReader(bytes.NewReader(in))
		s := &source{in: bytes.NewReader(in)}
		if seed%2 > 0 {
			s.in = iotest.HalfReader(iotest.DataErrReader(s.in))
		}
		var buf []byte
		for {
			run, at, err := s.next(buf)
			if err != nil {
				if _, wantErr := want.Next(); err != io.EOF || wantErr != io.EOF {
					t.Fatalf("seed %d: %v, want %v", seed, err, wantErr)
				}
				break
			}
			for text := range bytes.Lines(run) {
				if line := bytes.TrimSuffix(text, []byte("\n")); len(bytes.TrimSpace(line)) > 0 {
					wantLine, wantErr := want.Next()
					if err := event.Check(line, at); string(line) != string(wantLine) || at != want.Offset() ||
						(err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
						t.Fatalf("seed %d: at %d %.50q, %v; want at %d %.50q, %v",
							seed, at, line, err, want.Offset(), wantLine, wantErr)
					}
				}
				at += int64(len(text))
			}
			buf = run
		}
	}
}

// Of a line that is too long only its beginning is held, and the next line
// stands where it does in the stream.
func TestSourceTooLong(t *testing.T) {
	for _, over := range []int64{0, 1, 2, inputMax, event.MaxLine} {
		long := event.MaxLine + over
		in := io.MultiReader(strings.NewReader("a\n"), io.LimitReader(endless{}, long),
			strings.NewReader("\nb"))
		s := &source{in: in}
		var got []string
		var buf []byte
		for {
			run, at, err := s.next(buf)
			if err != nil {
				break
			}
			if buf = run; over == inputMax {
				buf = nil // as the batches that have not been used yet
			}
			if len(run) > event.MaxLine {
				refused := event.Check(bytes.TrimSuffix(run, []byte("\n")), at)
				if over > 0 && at == 2 && strings.Contains(refused.Error(), "longer than") || over == 0 &&
					len(run) == int(long)+1 {
					run = []byte("long")
				}
			}
			got = append(got, string(run))
			if string(run) == "b" && at != 2+long+1 {
				t.Errorf("over by %d: the last line is at %d", over, at)
			}
		}
		if all := strings.Join(got, "|"); all != "a\n|long|b" {
			t.Errorf("over by %d: %.100q", over, all)
		}
	}
}

// endless is a line without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// A witness sees at each write what had been kept before.
type witness struct {
	t       *testing.T
	journal string
	got     bytes.Buffer
}

func (w *witness) Write(b []byte) (int, error) {
	kept, _ := os.ReadFile(w.journal)
	w.got.Write(b)
	mark := []byte(`{"type":"message"`)
	if passed, there := bytes.Count(w.got.Bytes(), mark), bytes.Count(kept, mark); passed > there {
		w.t.Errorf("%d lines are passed on, the journal has %d", passed, there)
	}
	return len(b), nil
}

// Lines that come together are kept as if each had come alone, and passed on
// when they are.
func TestFrom(t *testing.T) {
	for seed := range uint64(30) {
		dir := t.TempDir()
		os.Chmod(dir, 0o700)
		path := filepath.Join(dir, "j.jsonl")
		out := &witness{t: t, journal: path}
		a, err := Open(path, Options{Out: out, Sync: []string{"none", "turn", "line"}[seed%3]})
		if err != nil {
			t.Fatal(err)
		}
		in := stream(seed)
		var from io.Reader = bytes.NewReader(in)
		if seed%2 > 0 {
			from = iotest.HalfReader(from)
		}
		if err := a.Close(a.From(from)); err != nil {
			t.Fatal(err)
		}
		j, size, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := store.Verify(j, size, ""); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		kept, passed := event.NewReader(j), event.NewReader(&out.got)
		for want := event.NewReader(bytes.NewReader(in)); ; {
			line, err := want.Next()
			got, gotErr := passed.Next()
			if err == io.EOF && gotErr == io.EOF {
				break
			}
			var bad *event.Malformed
			if errors.As(err, &bad) && event.Str(got, "message") == bad.Error() &&
				event.Str(got, "line") == string(line) {
				line, err = got, nil
			}
			if err != nil || gotErr != nil || string(got) != string(line) {
				t.Fatalf("seed %d: at byte %d %.50q, %v; want %.50q, %v", seed, want.Offset(), got, gotErr,
					line, err)
			}
			if event.Type(line) == "delta" {
				continue
			}
			stored, err := kept.Next()
			back, err2 := journal.Embed(journal.Bare(stored), dir)
			if err := errors.Join(err, err2); err != nil || string(back) != string(bytes.TrimSpace(line)) {
				t.Fatalf("seed %d: at byte %d %.50q is kept, %v; want %.50q", seed, want.Offset(), back, err,
					line)
			}
		}
		if _, err := kept.Next(); err != io.EOF {
			t.Errorf("seed %d: the journal has more", seed)
		}
		j.Close()
	}
}

// TestManyBrokenLines: a million lines that are no events become few errors, and a run's
// summary stays its last event.
func TestManyBrokenLines(t *testing.T) {
	dir := t.TempDir()
	os.Chmod(dir, 0o700)
	path := filepath.Join(dir, "j.jsonl")
	a, err := Open(path, Options{Sync: "none"})
	if err != nil {
		t.Fatal(err)
	}
	in := strings.NewReader(strings.Repeat("{}\n", 100_000) + `{"type":"summary"}` + "\n")
	if err := a.Close(a.From(in)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	events := strings.Split(strings.TrimSpace(string(text)), "\n")
	if n := len(events); n < 10 || n > 200 || event.Type([]byte(events[n-1])) != "summary" ||
		!strings.Contains(events[n-2], "further lines") {
		t.Errorf("%d events, the last of them %.200s", n, events[n-1])
	}
}
