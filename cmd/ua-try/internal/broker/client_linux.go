package broker

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/run"
)

// Known reports whether this process was told of a server.
func Known() bool { return os.Getenv(run.EnvTries) != "" }

// envServed tells a verb that it is run for a process in a sandbox.
const envServed = "UA_TRIES_SERVED"

// Served reports whether this process does a verb for one in a sandbox, which is not
// shown the text of files.
func Served() bool { return os.Getenv(envServed) != "" }

// Ask sends a request with this process's standard files to the server, and signals as
// they come, and returns its answer.
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
