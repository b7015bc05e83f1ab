package doctor

import (
	"context"
	"strings"

	"github.com/tidwall/gjson"
)

// keys tells which providers have a key and where it is from. ua-think says it without
// showing a key.
func keys(ctx context.Context) []Check {
	out, _, err := ask(ctx, "ua-think", "keys", "--json")
	var list []string
	for line := range strings.Lines(string(out)) {
		v := gjson.Parse(line)
		list = append(list, v.Get("provider").Str+" ("+v.Get("from").Str+")")
	}
	if err != nil || len(list) == 0 {
		return nil // the check of the model says what to do
	}
	return []Check{{"keys", OK, strings.Join(list, ", "), ""}}
}
