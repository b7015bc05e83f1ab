package event

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestBrokenLines: a few broken lines have an error each, of a million all are told of in
// few, whatever stands between them.
func TestBrokenLines(t *testing.T) {
	for _, c := range []struct{ n, errors int }{{0, 0}, {3, 3}, {maxSingle, maxSingle},
		{1_000_000, maxSingle + 45}} {
		in := strings.Repeat("{}\n", c.n/2) + `{"type":"a"}` + "\n" + strings.Repeat("{}\n", c.n-c.n/2)
		var out bytes.Buffer
		events := 0
		err := Each(NewReader(strings.NewReader(in)), "ua-x", NewWriter(&out), func([]byte) error {
			events++
			return nil
		})
		told, errors := 0, 0
		for line := range bytes.Lines(out.Bytes()) {
			why, before := gjson.GetBytes(line, "message").Str, 0
			_, rest, _ := strings.Cut(why, "nor are ")
			fmt.Sscan(rest, &before)
			told += before + 1
			if errors++; Type(line) != "error" || !strings.Contains(why, `no string "type"`) {
				t.Fatalf("%s", line)
			}
		}
		if err != nil || events != 1 || told != c.n || errors > c.errors || c.n <= maxSingle &&
			errors != c.n {
			t.Errorf("%d lines: %d told in %d errors, %d events, %v", c.n, told, errors, events, err)
		}
	}
}
