package agentloop

import (
	"fmt"
	"os"
	"path/filepath"

	"ua/internal/common/event"
	"ua/internal/common/gateway"
	"ua/internal/common/prog"
	"ua/internal/common/stage"
)

// openServers makes the socket of the servers, and the folder in which commands find their
// names.
func (l *loop) openServers() (err error) {
	if len(l.o.servers) == 0 {
		return nil
	}
	program, err := prog.FindSibling("ua-mcp")
	if err != nil {
		return err
	}
	dir := filepath.Join(l.run.Dir, serverFolder)
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return prog.Errorf(prog.Trouble, "the run's folder: %v", err)
	}
	for name := range l.o.servers {
		if err := os.Symlink(program, filepath.Join(dir, name)); err != nil && !os.IsExist(err) {
			return prog.Errorf(prog.Trouble, "the run's folder: %v", err)
		}
	}
	l.o.path = dir + string(os.PathListSeparator) + l.o.path
	socket, err := gateway.Open(l.run, "mcp.sock")
	if err != nil {
		return err
	}
	l.servers = &serverHost{socket: socket}
	return nil
}

// serverFolder is the folder in a run's with the names of servers.
const serverFolder = "mcp"

// startServers starts ua-mcp, which starts a server when it is asked first.
func (l *loop) startServers() error {
	s := l.servers
	if s == nil {
		return nil
	}
	c, err := stage.Builtin("ua-mcp", "host", "--socket-fd", "3", "--token-fd", "4", "--lives",
		l.outDir())
	if err != nil {
		return err
	}
	token, w, err := os.Pipe()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, s.token(l.gateway))
	w.Close()
	c.Extra = []*os.File{s.socket.Socket, token}
	in, out, err := stage.Pipes()
	if err != nil {
		return err
	}
	out.R.Close()
	s.verdicts = event.OutboxTo(in.W)
	s.host, err = c.Start(in.R, out.W, nil)
	return err
}
