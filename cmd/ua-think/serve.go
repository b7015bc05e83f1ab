package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/tidwall/gjson"
	"golang.org/x/sys/unix"

	"ua/cmd/ua-think/internal/gateway"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/session"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
)

// A server holds the options of the verb serve.
type server struct {
	socket, listen    string
	socketFD, tokenFD int
	spentFD           int
	log               string
	model             string
	allow             []string
	budgetTokens      int64
	budgetUSD         float64
	maxDepth          int
	maxRequests       int
	hosted            bool
}

// serveModel gives other programs a model without a key, by serving the provider's own
// API on a socket. If the log goes to stdout and nobody reads that any more, it ends.
func serveModel(env *prog.Env, args []string) error {
	o, err := parseServer(env, args)
	if err != nil {
		return err
	}
	cfg, err := settings.Load()
	if err != nil {
		return err
	}
	m, err := o.chooseModel(cfg)
	if err != nil {
		return err
	}
	token, made, err := o.token()
	if err != nil {
		return err
	}
	out, err := o.output(env)
	if err != nil {
		return err
	}
	d := defaults(cfg)
	g := gateway.New(m, o.maxRequests, d.time)
	g.Prices, g.Budget = cfg.Price, gateway.NewBudget(o.budgetTokens, o.budgetUSD)
	g.Token, g.Allow, g.MaxDepth, g.Hosted = token, o.allow, o.maxDepth, o.hosted
	if err := o.share(g.Budget); err != nil {
		return err
	}
	g.Answer, g.Log = d.session.Answer, gateway.NewLog(out)
	ctx, stop := prog.Interruptible()
	defer stop()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	if o.log == "" {
		go func() {
			// Without a log file the gateway works for the reader of stdout, and ends
			// with it.
			whenUnread(env.Stdout)
			end(prog.Exit(128 + int(syscall.SIGPIPE)))
		}()
	}
	l, err := o.open()
	if err != nil {
		return err
	}
	defer l.Close()
	// A token that the caller has given need not be printed again.
	if !made {
		token = ""
	}
	g.Ready(l.Addr(), token)
	if err := g.Serve(ctx, l); err != nil {
		return err
	}
	return prog.Exit(session.Interrupted(ctx))
}

// whenUnread returns once f is a pipe that nobody reads any more, as after the program
// that started a gateway was killed. poll(2) reports that even when no events are asked
// for.
func whenUnread(f *os.File) {
	for {
		fds := []unix.PollFd{{Fd: int32(f.Fd())}}
		_, err := unix.Poll(fds, -1)
		if err == nil && fds[0].Revents != 0 {
			return
		}
		if err != nil && err != unix.EINTR {
			select {} // it can't be told
		}
	}
}

// parseServer reads the command line of the verb. It needs exactly one place to listen
// at.
func parseServer(env *prog.Env, args []string) (*server, error) {
	o := &server{maxRequests: defaultMaxRequests, maxDepth: defaultMaxDepth}
	fs := prog.Flags()
	prog.List(fs, &o.allow, "allow")
	prog.Number(fs, &o.budgetTokens, "budget-tokens", 0, 1, 0)
	prog.Amount(fs, &o.budgetUSD, "budget-usd", 0)
	fs.BoolVar(&o.hosted, "hosted-tools", false, "")
	fs.StringVar(&o.listen, "listen", "", "")
	fs.StringVar(&o.log, "log", "", "")
	prog.Number(fs, &o.maxDepth, "max-depth", o.maxDepth, 0, 0)
	prog.Number(fs, &o.maxRequests, "max-requests", o.maxRequests, 1, 0)
	for _, name := range []string{"m", "model"} {
		fs.StringVar(&o.model, name, "", "")
	}
	fs.StringVar(&o.socket, "socket", "", "")
	prog.Descriptor(fs, &o.socketFD, "socket-fd")
	prog.Descriptor(fs, &o.spentFD, "spent-fd")
	prog.Descriptor(fs, &o.tokenFD, "token-fd")
	if err := env.Parse(fs, args, help); err != nil {
		return nil, err
	}
	ways := 0
	for _, given := range []bool{o.socket != "", o.listen != "", o.socketFD >= 0} {
		if given {
			ways++
		}
	}
	switch {
	case fs.NArg() > 0:
		return nil, prog.Errorf(prog.Trouble, "%q: serve takes no operand", fs.Arg(0))
	case ways != 1:
		return nil, prog.Errorf(prog.Trouble,
			"serve needs one of --socket, --socket-fd and --listen").
			Hintf("ua-think serve --socket /run/user/1000/model.sock")
	}
	return o, nil
}

// chooseModel returns the model that clients get if they do not ask for another one of
// its provider, with its key. A gateway may be behind another gateway.
func (o *server) chooseModel(cfg *settings.Settings) (provider.Model, error) {
	models, err := choose(&options{model: o.model}, cfg)
	if err != nil {
		return provider.Model{}, err
	}
	if models[0].Base == "" {
		return models[0], prog.Errorf(prog.Trouble, "%s has no API to serve",
			models[0].Spec())
	}
	return models[0], nil
}

// token returns what clients must send as their key. The caller gives it or, for a TCP
// port, which every user of the machine can reach, it is made up here.
func (o *server) token() (token string, made bool, err error) {
	if o.tokenFD < 0 {
		if o.listen == "" {
			return "", false, nil
		}
		return rand.Text(), true, nil
	}
	f := os.NewFile(uintptr(o.tokenFD), "token")
	if f == nil {
		return "", false, prog.Errorf(prog.Trouble, "--token-fd: %d is not a descriptor", o.tokenFD)
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, 4096)).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", false, prog.Errorf(prog.Trouble, "--token-fd: descriptor %d: %v", o.tokenFD, err)
	}
	if token = strings.TrimSpace(line); token == "" {
		return "", false, prog.Errorf(prog.Trouble, "--token-fd: descriptor %d holds no token",
			o.tokenFD)
	}
	return token, false, nil
}

// share reads what others spend of the budget, a line each time. It returns once the first
// line is there, so that no request is answered before.
func (o *server) share(b *gateway.Budget) error {
	if o.spentFD < 0 {
		return nil
	}
	lines := bufio.NewScanner(os.NewFile(uintptr(o.spentFD), "spent"))
	if !lines.Scan() {
		return prog.Errorf(prog.Trouble, "--spent-fd: descriptor %d has no line", o.spentFD)
	}
	take := func() {
		var u usage.Usage
		spent := gjson.ParseBytes(lines.Bytes())
		usage.Take(&u.Input, spent.Get("tokens"))
		b.Others(gateway.Amount{Tokens: u.Input, USD: spent.Get("cost_usd").Float()})
	}
	take()
	go func() {
		for lines.Scan() {
			take()
		}
	}()
	return nil
}

// output returns where the log is written.
func (o *server) output(env *prog.Env) (io.Writer, error) {
	if o.log == "" {
		return env.Stdout, nil
	}
	f, err := regular.Append(o.log)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "--log: %v", err)
	}
	return f, nil
}

// open listens at the place that the options name.
func (o *server) open() (net.Listener, error) {
	switch {
	case o.socketFD >= 0:
		return gateway.ListenFD(o.socketFD)
	case o.listen != "":
		return gateway.ListenTCP(o.listen)
	}
	return gateway.ListenUnix(o.socket)
}
