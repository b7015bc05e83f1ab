package sse

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
)

// read is all events of r, as name=data with a mark for a cut one.
func read(t testing.TB, r io.Reader, max int) (all []string, err error) {
	s := NewReader(r, max)
	for {
		ev, err := s.Next()
		if err != nil {
			return all, err
		}
		text := string(ev.Name) + "=" + string(ev.Data)
		if ev.Cut {
			text += " (cut)"
		}
		all = append(all, text)
	}
}

func TestEvents(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"data: a\n\n", []string{"=a"}},
		{"data:a\n\ndata:  b\n\n", []string{"=a", "= b"}},
		{"data: a\r\n\r\ndata: b\r\n\r\n", []string{"=a", "=b"}},
		{"data: a\r\rdata: b\r\r", []string{"=a", "=b"}},
		{"data: a\r\n\rdata: b\n\r\n", []string{"=a", "=b"}},
		{"event: e\ndata: a\n\n", []string{"e=a"}},
		{"event: e\n\ndata: a\n\n", []string{"=a"}},
		{"event: e\ndata: a\n\ndata: b\n\n", []string{"e=a", "=b"}},
		{"data: a\ndata: b\ndata\ndata:\n\n", []string{"=a\nb\n\n"}},
		{": comment\n:\ndata: a\n: more\n\n", []string{"=a"}},
		{"id: 1\nretry: 5\nunknown: x\nnofield\ndata: a\n\n", []string{"=a"}},
		{"data\n\n", []string{"="}},
		{"\n\n\ndata: a\n\n\n\n", []string{"=a"}},
		{"\ufeffdata: a\n\n", []string{"=a"}},
		{"\ufeff\ufeffdata: a\n\ndata: b\n\n", []string{"=b"}},
		{"data: a\n\ndata: b\n", []string{"=a", "=b (cut)"}},
		{"data: a\n\nevent: e\ndata: b", []string{"=a", "e=b (cut)"}},
		{"data: a\n\nevent: e", []string{"=a"}},
		{"data: h\xc3\xa9 \xf0\x9f\x98\x80\n\n", []string{"=hé 😀"}},
		{"data: a:b: c\n\n", []string{"=a:b: c"}},
		{"data: " + strings.Repeat("x", 100000) + "\ndata: y\n\ndata: z\n\n",
			[]string{"=" + strings.Repeat("x", 100000) + "\ny", "=z"}},
	} {
		for name, r := range map[string]io.Reader{
			"whole":     strings.NewReader(c.in),
			"one byte":  iotest.OneByteReader(strings.NewReader(c.in)),
			"half":      iotest.HalfReader(strings.NewReader(c.in)),
			"error now": iotest.DataErrReader(strings.NewReader(c.in)),
		} {
			got, err := read(t, r, 1<<20)
			if err != io.EOF || strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("%s %.60q: %.60q, %v", name, c.in, got, err)
			}
		}
	}
}

func TestTooLong(t *testing.T) {
	for _, in := range []string{
		"data: " + strings.Repeat("x", 1<<20) + "\n\n",
		strings.Repeat("data: x\n", 1<<17),
		":" + strings.Repeat("x", 1<<20),
	} {
		_, err := read(t, strings.NewReader(in), 100000)
		var long TooLong
		if !errors.As(err, &long) || int(long) != 100000 {
			t.Errorf("%.20q: %v", in, err)
		}
	}
	if got, err := read(t, strings.NewReader(strings.Repeat("data: x\n\n", 1<<17)),
		100); err != io.EOF || len(got) != 1<<17 {
		t.Errorf("many short events: %d, %v", len(got), err)
	}
}

func TestBrokenRead(t *testing.T) {
	broken := errors.New("broken")
	got, err := read(t, io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"),
		iotest.ErrReader(broken)), 1000)
	if err != broken || strings.Join(got, "|") != "=a|=b (cut)" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestLines(t *testing.T) {
	r := NewReader(iotest.OneByteReader(strings.NewReader("{\"a\":1}\r\n\n{\"b\":2}\nlast")), 100)
	var got []string
	for {
		line, err := r.Line()
		if err != nil {
			break
		}
		got = append(got, string(line.Data))
	}
	if strings.Join(got, "|") != `{"a":1}|{"b":2}|last` {
		t.Errorf("%q", got)
	}
}

// FuzzSplit: how the bytes are split over reads changes nothing, and a reader
// that knows whole lines only gives the same.
func FuzzSplit(f *testing.F) {
	f.Add([]byte("\ufeffevent: a\r\ndata: x\rdata: y\n\n: c\ndata\n\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, err1 := read(t, bytes.NewReader(in), 1<<16)
		split, err2 := read(t, iotest.OneByteReader(bytes.NewReader(in)), 1<<16)
		if strings.Join(whole, "|") != strings.Join(split, "|") || err1 != err2 {
			t.Fatalf("%q: %q %v, split %q %v", in, whole, err1, split, err2)
		}
		// The standard knows no JSON without a field and no errors.
		if bare.Match(in) || bytes.Contains(in, []byte("error")) {
			return
		}
		if want := plainly(string(in)); strings.Join(whole, "|") != strings.Join(want, "|") {
			t.Fatalf("%q: %q, want %q", in, whole, want)
		}
	})
}

// bare is a line that begins as JSON or HTML does, without a field.
var bare = regexp.MustCompile(`(?:^|[\r\n])[\s\x{feff}]*[{<]`)

// plainly is the standard's rules in their own words, on a whole stream.
func plainly(in string) (all []string) {
	in = strings.TrimPrefix(in, "\ufeff")
	in = strings.ReplaceAll(strings.ReplaceAll(in, "\r\n", "\n"), "\r", "\n")
	name, data, seen := "", "", false
	for line := range strings.SplitSeq(strings.TrimSuffix(in, "\n"), "\n") {
		if line == "" {
			if seen {
				all = append(all, name+"="+strings.TrimSuffix(data, "\n"))
			}
			name, data, seen = "", "", false
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			name = value
		case "data":
			data, seen = data+value+"\n", true
		}
	}
	if seen {
		all = append(all, name+"="+strings.TrimSuffix(data, "\n")+" (cut)")
	}
	return all
}
