package trial

import (
	"testing"

	"ua/internal/common/run"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		line string
		want Trial
		size string
	}{
		{`{"id":"a1","files":2,"folders":1,"state":"open"}`, Trial{ID: "a1", Files: 2, Folders: 1},
			"2 files"},
		{`{"id":"a1","folders":1}`, Trial{ID: "a1", Folders: 1}, "1 folder"},
		{`{"id":"a1","state":"empty"}`, Trial{ID: "a1", Empty: true}, ""},
		{`{"id":"a1","files":1,"network":["h:443","x:80"],"outside":["/tmp/a"]}`,
			Trial{ID: "a1", Files: 1, Network: "h:443, x:80", Outside: "/tmp/a"}, "1 file"},
		{`{"network":"h","files":"many","outside":{}}`, Trial{Network: "h", Outside: "{}"}, ""},
		{"", Trial{}, ""},
		{"not json", Trial{}, ""},
	} {
		got := parse([]byte(c.line), "")
		if *got != c.want || got.Size() != c.size {
			t.Errorf("%s: %+v, %q", c.line, got, got.Size())
		}
	}
}

func TestAddTo(t *testing.T) {
	for _, c := range []struct {
		trial           *Trial
		summary, result string
	}{
		{nil, `{"type":"summary"}`, `{"type":"summary"}`},
		{&Trial{ID: "a1", Files: 2, Applied: true}, `{"type":"summary"}`,
			`{"type":"summary","try":{"applied":true,"files":2,"id":"a1"}}`},
	} {
		if got := string(c.trial.AddTo([]byte(c.summary))); got != c.result {
			t.Error(got)
		}
	}
}

// Where there is no try, or no ua-try, there is nothing to say.
func TestNone(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if found := Of(run.Run{Dir: t.TempDir()}); found != nil {
		t.Errorf("%+v", found)
	}
}
