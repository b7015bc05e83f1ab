package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tidwall/gjson"
)

func TestNext(t *testing.T) {
	long := `{"type":"x","text":"` + strings.Repeat("a", 200<<10) + `"}`
	for _, c := range []struct{ in, want, bad string }{
		{"", "", ""},
		{"\n \n", "", ""},
		{`{"type":"a"}` + "\n", `{"type":"a"}`, ""},
		{`{"type":"a"}`, `{"type":"a"}`, ""},
		{` {"type":"a" , "new": [1,2] } ` + "\r\n", ` {"type":"a" , "new": [1,2] } ` + "\r", ""},
		{"junk\n", "", "not JSON"},
		{"[1]\n", "", "not a JSON object"},
		{`{"type":1}` + "\n", "", `no string "type"`},
		{`{}` + "\n", "", `no string "type"`},
		{long + "\n", long, ""},
	} {
		r := NewReader(iotest.HalfReader(strings.NewReader(c.in)))
		line, err := r.Next()
		var bad *Malformed
		switch {
		case c.bad != "":
			if !errors.As(err, &bad) || bad.Why != c.bad {
				t.Errorf("%.40q: error %v, want %s", c.in, err, c.bad)
			}
		case c.want == "":
			if err != io.EOF {
				t.Errorf("%.40q: error %v, want EOF", c.in, err)
			}
		case err != nil || string(line) != c.want:
			t.Errorf("%.40q: %.40q, %v", c.in, line, err)
		}
	}
}

func TestOffsetAndJunk(t *testing.T) {
	in := `{"type":"a"}` + "\njunk\n\n" + `{"type":"b"}` + "\n"
	var out bytes.Buffer
	var seen []string
	r := NewReader(strings.NewReader(in))
	err := Each(r, "ua-x", NewWriter(&out), func(line []byte) error {
		seen = append(seen, Type(line))
		return nil
	})
	if err != nil || strings.Join(seen, " ") != "a b" || r.Offset() != int64(len(in)) {
		t.Errorf("seen %v, err %v, offset %d", seen, err, r.Offset())
	}
	if got := Str(out.Bytes(), "message"); Str(out.Bytes(), "stage") != "ua-x" ||
		got != "line at byte 13: not JSON" {
		t.Errorf("error event %s", out.Bytes())
	}
}

func TestLineOver64MiB(t *testing.T) {
	in := io.MultiReader(strings.NewReader(`{"type":"a","text":"`), io.LimitReader(zeros{}, MaxLine),
		strings.NewReader("\"}\n{\"type\":\"b\"}\n"))
	r := NewReader(in)
	_, err := r.Next()
	var bad *Malformed
	if !errors.As(err, &bad) {
		t.Fatalf("error %v, want Malformed", err)
	}
	if line, err := r.Next(); err != nil || Type(line) != "b" {
		t.Fatalf("after the long line: %q, %v", line, err)
	}
	whole := `{"type":"a","text":"` + strings.Repeat("0", 64<<20) + `"}`
	r = NewReader(strings.NewReader(whole + "\n"))
	if line, err := r.Next(); err != nil || string(line) != whole {
		t.Fatalf("a 64 MiB line: %d bytes, %v", len(line), err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

func TestBuilder(t *testing.T) {
	line := New("x").Str("s", "a\"\\\n\x00\x7f\xff\u2028é😀").Int("n", -3).
		Float("f", 0.25).Bool("b", true).OptStr("o", "").Raw("r", []byte(`[1]`)).Line()
	var v map[string]any
	if err := json.Unmarshal(line, &v); err != nil {
		t.Fatal(err)
	}
	if v["s"] != "a\"\\\n\x00\x7f\ufffd\u2028é😀" || v["n"] != -3.0 || v["f"] != 0.25 ||
		v["b"] != true || len(v) != 7 {
		t.Errorf("%s gives %v", line, v)
	}
	if bytes.Contains(line, []byte("\u2028")) || bytes.ContainsRune(line, '\n') {
		t.Errorf("a line separator stands in %q", line)
	}
}

func FuzzNext(f *testing.F) {
	f.Add([]byte(`{"type":"a"}` + "\n\n{\"type\":\"b\",\"x\":{}}\r\n[]\nnull"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := NewReader(iotest.OneByteReader(bytes.NewReader(in)))
		for {
			line, err := r.Next()
			var bad *Malformed
			if err == io.EOF {
				return
			}
			if err != nil && !errors.As(err, &bad) {
				t.Fatal(err)
			}
			at := r.Offset()
			if !bytes.HasPrefix(in[at:], line) {
				t.Fatalf("line %q is not what stands at %d", line, at)
			}
			if err == nil && !json.Valid(line) {
				t.Fatalf("%q is taken for JSON", line)
			}
		}
	})
}

func FuzzAppendString(f *testing.F) {
	f.Add("a\"\\\n\x00\xff\u2028")
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		if err := json.Unmarshal(AppendString(nil, s), &got); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if want := string([]rune(s)); got != want {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func TestType(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"turn","n":1}`: "turn", ` {"type":"a"}`: "a", `{"n":1,"type":"b"}`: "b",
		`{"type":"a","type":"b"}`: "a",
		`{"type":"\u0061"}`:       "a", `{"type":""}`: "", `{"type":1}`: "",
		`{"type":null,"x":{"type":"c"}}`: "", `{"type":"a`: "", `["type"]`: "", ``: "",
	} {
		if got := Type([]byte(line)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

func FuzzType(f *testing.F) {
	f.Add([]byte(`{"type":"a\"b","type":"c"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if !ValidJSON(line) {
			return
		}
		want := ""
		if v := gjson.GetBytes(line, "type"); v.Type == gjson.String {
			want = v.Str
		}
		if got := Type(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	})
}

// A line is checked alone as in a stream, and where it stands is told.
func TestCheck(t *testing.T) {
	for line, why := range map[string]string{
		`{"type":"a"}`: "", ` {"x":1,"type":"a"} `: "",
		``: "not JSON", ` `: "not JSON", `{`: "not JSON", ` []`: "not a JSON object",
		`{"type":1}`: `no string "type"`,
		`{"type":"` + strings.Repeat("x", MaxLine) + `"}`: "longer than 68157440 bytes",
	} {
		err := Check([]byte(line), 7)
		got := fmt.Sprint(err)
		if why == "" && err != nil || why != "" && got != "line at byte 7: "+why {
			t.Errorf("%.40q: %v", line, err)
		}
	}
}
