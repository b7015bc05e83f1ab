package broker

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/run"
)

// Known reports whether this process was told of a server, by its environment.
func Known() bool { return os.Getenv(run.EnvTries) != "" }

// envServed is the variable that tells a verb that it runs for a process in a sandbox.
const envServed = "UA_TRIES_SERVED"

// Served reports whether this process does a verb for a process in a sandbox. That one
// may not see the text of files.
func Served() bool { return os.Getenv(envServed) != "" }

// Ask sends a request to the server, with the token and the standard files of this
// process, and passes signals on as they come. It returns the server's answer; an error
// means that there is none.
func Ask(q *Request, signals <-chan os.Signal) (r Reply, err error) {
	q.Token = os.Getenv(run.EnvTriesToken)
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return r, err
	}
	defer unix.Close(fd)
	if _, err = retry(func() (int, error) {
		return 0, unix.Connect(fd, &unix.SockaddrUnix{Name: os.Getenv(run.EnvTries)})
	}); err != nil {
		return r, err
	}
	text, err := json.Marshal(q)
	if err != nil {
		return r, err
	}
	if _, err = retry(func() (int, error) {
		return 0, unix.Sendmsg(fd, []byte{0}, unix.UnixRights(0, 1, 2), nil, unix.MSG_NOSIGNAL)
	}); err == nil {
		err = writeAll(fd, append(text, '\n'))
	}
	if err != nil {
		return r, err
	}
	go func() {
		for sig := range signals {
			_ = writeAll(fd, []byte{byte(sig.(syscall.Signal))})
		}
	}()
	line, err := readLine(fd)
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err != nil {
		return r, fmt.Errorf("the answer: %w", err)
	}
	return r, nil
}
