package answer

import (
	"encoding/json"
	"testing"

	"ua/internal/common/event"
)

func FuzzOneLine(f *testing.F) {
	f.Add([]byte("{\"a\":[1,\n\"x\\u00e9\",null]}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if event.ValidJSON(text) && !json.Valid([]byte(OneLine(string(text)))) {
			t.Errorf("%q is valid, on one line it is not", text)
		}
	})
}
