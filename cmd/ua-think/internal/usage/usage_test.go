package usage

import (
	"math"
	"testing"

	"github.com/tidwall/gjson"
)

// TestLies: whatever a server says of its usage, the sum of many is a number that is not
// below 0.
func TestLies(t *testing.T) {
	for _, text := range []string{`-5`, `9223372036854775807`, `1e300`, `-1e300`, `"7"`, `null`,
		`{}`, `[1]`, `true`} {
		u := Read(gjson.Parse(`{"input":` + text + `,"output":` + text + `,"cache_read":` + text +
			`,"cache_write":` + text + `,"cost_usd":` + text + `}`))
		var sum Usage
		for range 1000 {
			sum.Add(u)
		}
		if n := sum.Tokens(); n < 0 || sum.Cost < 0 || math.IsInf(sum.Cost, 0) ||
			(u.Input > 0) != (gjson.Parse(text).Num > 0) {
			t.Errorf("%s: %+v", text, sum)
		}
	}
}
