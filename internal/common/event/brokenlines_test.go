package event

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestBrokenLines: of a million broken lines the first have an error each, whatever stands
// between them, and the last of these says that no more follow.
func TestBrokenLines(t *testing.T) {
	for _, c := range []struct{ n, errors int }{{0, 0}, {3, 3}, {maxBroken - 1, maxBroken - 1},
		{1_000_000, maxBroken}} {
		in := strings.Repeat("{}\n", c.n/2) + `{"type":"a"}` + "\n" + strings.Repeat("{}\n", c.n-c.n/2)
		var out bytes.Buffer
		events := 0
		err := Each(NewReader(strings.NewReader(in)), "ua-x", NewWriter(&out), func([]byte) error {
			events++
			return nil
		})
		errors, more := 0, 0
		for line := range bytes.Lines(out.Bytes()) {
			why := gjson.GetBytes(line, "message").Str
			if errors++; Type(line) != "error" || !strings.Contains(why, `no string "type"`) {
				t.Fatalf("%s", line)
			}
			if strings.Contains(why, "further lines") {
				more++
			}
		}
		if err != nil || events != 1 || errors != c.errors || more == 1 != (c.n >= maxBroken) {
			t.Errorf("%d lines: %d errors, %d of the rest, %d events, %v", c.n, errors, more, events, err)
		}
	}
}
