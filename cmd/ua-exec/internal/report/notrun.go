package report

import (
	"strings"

	"github.com/tidwall/gjson"
)

// A NotRun is by what ua-sandbox tells that it does not run a command (ua-sandbox(1),
// --status-fd). A nil one tells nothing.
type NotRun struct{ *told }

// NewNotRun makes one.
func NewNotRun() (*NotRun, error) {
	t, err := newTold(NotRunFD)
	if err != nil {
		return nil, err
	}
	return &NotRun{t}, nil
}

// Said returns why the command was not run, or "" when it was. It is asked once, when
// ua-sandbox has ended.
func (n *NotRun) Said() string {
	if n == nil {
		return ""
	}
	return why(n.read(16 << 10))
}

// why returns the reason in ua-sandbox's event, "" where there is none.
func why(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	if why := strings.TrimSpace(gjson.GetBytes(text, "message").Str); why != "" {
		return why
	}
	return "ua-sandbox gave no reason"
}
