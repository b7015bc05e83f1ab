package request

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// A request was made when a turn says so or, without turns, before its answer began.
func TestScan(t *testing.T) {
	const (
		run  = `{"type":"run"}` + "\n"
		turn = `{"type":"turn","budget":7}` + "\n"
		call = `{"type":"tool_call"}` + "\n"
		done = `{"type":"response","model":"m","request_sha256":"abc"}` + "\n"
	)
	for _, c := range []struct {
		name, journal string
		want          string // of each call: number, size of the journal then, budget
	}{
		{"by turns", run + turn + call + done, fmt.Sprintf("1 %d 7;", len(run))},
		{"without turns", run + call + call + done, fmt.Sprintf("1 %d -1;", len(run))},
		{"an answer alone", run + done, fmt.Sprintf("1 %d -1;", len(run))},
		{"two", run + turn + done + `{"type":"turn"}` + "\n" + done,
			fmt.Sprintf("1 %d 7;2 %d -1;", len(run), len(run+turn+done))},
		{"a turn that was asked again", turn + `{"type":"turn"}` + "\n" + done,
			fmt.Sprintf("1 %d -1;", len(turn))},
		{"junk between", run + "junk\n" + done, fmt.Sprintf("1 %d -1;", len(run+"junk\n"))},
		{"none", run + turn + call, ""},
		{"nothing", "", ""},
	} {
		got := ""
		err := Scan(strings.NewReader(c.journal), int64(len(c.journal)), func(error) {},
			func(a *Call) error {
				got += fmt.Sprintf("%d %d %d;", a.N, a.size, a.budget)
				if a.Model() != "m" || a.SHA256() != "abc" {
					t.Errorf("%s: %s", c.name, a.Response)
				}
				return nil
			})
		if err != nil || got != c.want {
			t.Errorf("%s: %s, want %s, %v", c.name, got, c.want, err)
		}
	}
}

// What is done with a call can end the walk.
func TestScanEnds(t *testing.T) {
	const journal = `{"type":"response"}` + "\n" + `{"type":"response"}` + "\n"
	n, enough := 0, errors.New("enough")
	err := Scan(strings.NewReader(journal), int64(len(journal)), func(error) {},
		func(*Call) error { n++; return enough })
	if err != enough || n != 1 {
		t.Errorf("%d calls, %v", n, err)
	}
}

// FuzzScan: whatever a journal holds, calls are numbered from 1, each is a response of it, and
// what it held when the model was asked ends at the beginning of a line before the response.
func FuzzScan(f *testing.F) {
	f.Add(`{"type":"run"}` + "\n" +
		`{"type":"turn","budget":7}` + "\n" +
		`{"type":"response"}` + "\n")
	f.Add(`{"type":"tool_call"}` + "\n" +
		`{"type":"response","model":{}}` + "\n" +
		`{"type":"response"}`)
	f.Add(`{"type":"turn","budget":-1e99}` + "\njunk\n" +
		`{"type":"response","type":"turn"}` + "\n\n\x00\n")
	f.Fuzz(func(t *testing.T, journal string) {
		n, last := 0, int64(0)
		size := int64(len(journal))
		err := Scan(strings.NewReader(journal), size, func(error) {}, func(a *Call) error {
			n++
			if a.N != n || a.size < last || a.size > size ||
				a.size > 0 && journal[a.size-1] != '\n' ||
				!strings.Contains(journal[a.size:], string(a.Response)) {
				t.Fatalf("call %d: %+v of %q", n, a, journal)
			}
			last = a.size
			a.Model()
			a.SHA256()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if most := strings.Count(journal, "response"); n > most {
			t.Fatalf("%d calls in %q", n, journal)
		}
	})
}
