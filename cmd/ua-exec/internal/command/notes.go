package command

import (
	"encoding/json"
	"fmt"
	"strings"
)

// notes are lines to the model below the output of a command, outside of its frame
// (capture.Frame).
type notes struct{ lines []string }

func (n *notes) add(lines ...string) { n.lines = append(n.lines, lines...) }

func (n *notes) addf(format string, a ...any) { n.add(fmt.Sprintf(format, a...)) }

func (n *notes) text() string {
	var b strings.Builder
	for _, line := range n.lines {
		b.WriteString("[ua-exec: " + line + "]\n")
	}
	return b.String()
}

// marshal returns v as JSON. Callers pass only values that can be encoded.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return b
}
