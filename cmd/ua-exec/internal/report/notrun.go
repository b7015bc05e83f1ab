package report

import (
	"strings"

	"github.com/tidwall/gjson"
)

// A NotRun is the channel on which ua-sandbox reports that it does not run a command
// (ua-sandbox(1), --status-fd). A nil NotRun reports nothing.
type NotRun struct{ *channel }

// NewNotRun makes the channel of one command.
func NewNotRun() (*NotRun, error) {
	t, err := newChannel(NotRunFD)
	if err != nil {
		return nil, err
	}
	return &NotRun{t}, nil
}

// Said returns why the command was not run, or "" if it was. Call it once, after
// ua-sandbox has ended.
func (n *NotRun) Said() string {
	if n == nil {
		return ""
	}
	return why(n.read(16 << 10))
}

// why returns the reason in an event of ua-sandbox, or "" if there is no event.
func why(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if why := strings.TrimSpace(gjson.GetBytes(text, "message").Str); why != "" {
		return why
	}
	return "ua-sandbox gave no reason"
}
