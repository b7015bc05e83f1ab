package main

import (
	"strings"
	"syscall"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-exec/internal/pipe"
)

// notRunFD is the descriptor on which ua-sandbox tells that it does not run a
// command (ua-sandbox(1), --status-fd). The command does not get it, so nothing
// that a command prints can pass for this.
const notRunFD = 186

// A notRun is the pipe of that descriptor. A nil one tells nothing.
type notRun struct{ r, w int }

func newNotRun() (*notRun, error) {
	r, w, err := pipe.Raw()
	if err != nil {
		return nil, err
	}
	return &notRun{r, w}, nil
}

// said returns why the command was not run, or "" when it was. It ends the pipe, and
// is asked once, when ua-sandbox has ended.
func (n *notRun) said() string {
	if n == nil {
		return ""
	}
	defer syscall.Close(n.r)
	b := make([]byte, 16<<10)
	k, err := syscall.Read(n.r, b)
	if err != nil || k <= 0 {
		return ""
	}
	if why := strings.TrimSpace(gjson.GetBytes(b[:k], "message").Str); why != "" {
		return why
	}
	return "ua-sandbox gave no reason"
}
