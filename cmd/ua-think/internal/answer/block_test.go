package answer

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"ua/internal/common/event"

	"github.com/tidwall/gjson"
)

func FuzzOneLine(f *testing.F) {
	f.Add([]byte("{\"a\":[1,\n\"x\\u00e9\",null]}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if event.ValidJSON(text) && !json.Valid([]byte(OneLine(string(text)))) {
			t.Errorf("%q is valid, on one line it is not", text)
		}
	})
}

// TestDeepInput: an input that no event could hold is answered by an error, and what leaves is
// events all the same.
func TestDeepInput(t *testing.T) {
	for _, deep := range []int{100, 9_990, 9_999, 10_000, 20_000} {
		var out bytes.Buffer
		a := &Answer{Out: event.NewOutbox(&out), Limits: Limits{Event: 1 << 20, Text: 1000},
			IDs: map[string]bool{}}
		a.Add(Piece{ID: "c", Name: "shell", Args: gjson.Parse(`{"a":` + strings.Repeat("[", deep-1) +
			strings.Repeat("]", deep-1) + "}")})
		a.Stop = EndTurn
		a.Finish()
		a.Out.Close(0)
		line, _, _ := bytes.Cut(out.Bytes(), []byte("\n"))
		want := "error"
		if deep < 9_995 {
			want = "tool_call"
		}
		if !event.Valid(line) || event.Type(line) != want || !event.ValidJSON(a.Content()) {
			t.Errorf("%d deep: %.200s", deep, line)
		}
	}
}
