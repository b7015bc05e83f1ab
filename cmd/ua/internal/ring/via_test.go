package ring

import (
	"slices"
	"strings"
	"testing"
)

func TestFarArgs(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--via srun -q the task", "the task"},
		{"--via=x --json --bg -o out --model m -a f -C dir task - --atomic",
			"--model m -a f -C dir task - --atomic"},
		{"task --context a=b --via x -- --via y", "task --context a=b -- --via y"},
		{"--output=x --ask -- -q", "--ask -- -q"}, {"task --via", "task"},
	} {
		if got := farArgs(strings.Fields(c.args)); !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s: %q", c.args, got)
		}
	}
}
