package job

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ua/internal/common/jobs"
	"ua/internal/common/prog"
)

// patience is how long to wait for an answer, and replyMax how long it may be, in bytes.
// A command may be the one that answers.
const (
	patience = 15 * time.Second
	replyMax = 1 << 20
)

// Start asks the ua-exec that keeps the jobs of this run to start a command: to "keep" it,
// to have one started that outlives the run.
func Start(socket string, q jobs.Request) (*jobs.Reply, error) {
	return ask(filepath.Dir(socket), filepath.Base(socket), q, nil)
}

// Ask sends a request about the job to the ua-exec that keeps it. What input holds
// follows the request.
func (j *Job) Ask(q jobs.Request, input io.Reader) (*jobs.Reply, error) {
	if j.State != jobs.Running && (j.Left == 0 || q.Do != "stop") {
		return nil, prog.Errorf(prog.No, "%s has ended", j.Name)
	}
	if j.Socket == "" {
		return nil, prog.Errorf(prog.Trouble, "%s: no process controls it", j.Name)
	}
	// The token is sent to the socket of this run only: another could collect it.
	q.Job = j.Key
	if os.Getenv(jobs.EnvSocket) == filepath.Join(j.Dir, j.Socket) {
		q.Token = os.Getenv(jobs.EnvToken)
	}
	return ask(j.Dir, j.Socket, q, input)
}

// ask sends one request and returns the answer. Without a token the caller proves who it
// is by prove. The deadline is lifted while input is copied.
func ask(folder, socket string, q jobs.Request, input io.Reader) (*jobs.Reply, error) {
	conn, err := dial(folder, socket)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "%s: %v", filepath.Join(folder, socket), cause(err))
	}
	defer conn.Close()
	in := bufio.NewReader(&io.LimitedReader{R: conn, N: replyMax})
	conn.SetDeadline(time.Now().Add(patience))
	line, err := json.Marshal(q)
	if err == nil {
		_, err = conn.Write(append(line, '\n'))
	}
	if err == nil && q.Token == "" {
		err = prove(conn, in, folder)
	}
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "%v", cause(err))
	}
	switch {
	case input != nil: // which the job reads when it likes
		conn.SetDeadline(time.Time{})
		_, err = io.Copy(conn, input) // the answer says it better when nobody takes it
		conn.CloseWrite()
	case q.Do == "stop":
		conn.SetDeadline(time.Now().Add(patience + time.Duration(q.Grace)*time.Millisecond))
	}
	r := &jobs.Reply{}
	answer, readErr := in.ReadBytes('\n')
	if json.Unmarshal(answer, r) != nil {
		return nil, prog.Errorf(prog.Trouble, "no answer: %v", errors.Join(err, readErr))
	}
	if r.Error != "" {
		return nil, prog.Errorf(prog.No, "%s", r.Error)
	}
	return r, nil
}

// prove creates the file that the other side names. That shows that this process may
// write in the folder, where the commands of the run may not.
func prove(conn io.Writer, in *bufio.Reader, folder string) error {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return err
	}
	var r jobs.Reply
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	// The name comes from a socket that a command may have made, so it may name no other
	// place.
	if r.Error != "" || !strings.HasPrefix(r.Create, ".right-") ||
		filepath.Base(r.Create) != r.Create {
		return errors.New("the job's socket gave an unexpected answer: " + r.Error)
	}
	f, err := os.OpenFile(filepath.Join(folder, r.Create), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return errors.New("only its run's commands and the run's owner may control the job")
	}
	f.Close()
	_, err = conn.Write([]byte("\n"))
	return err
}

// cause returns the innermost error, without the names of paths and calls around it.
func cause(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}
