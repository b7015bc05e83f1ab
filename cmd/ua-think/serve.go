package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"ua/cmd/ua-think/internal/eventgateway"
	"ua/cmd/ua-think/internal/httpgateway"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/session"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/sharedbudget"
	"ua/cmd/ua-think/internal/transport"
	"ua/internal/common/config"
	"ua/internal/common/descriptor"
	"ua/internal/common/prog"
	"ua/internal/common/spending"
)

// A server is a service with the options of the verb serve.
type server struct {
	*eventgateway.Service
	socket, listen             string
	tlsCert, tlsKey            string
	socketFD, tokenFD, spentFD int
	events                     bool
	model, effort              string
	limit                      spending.Sum
	maxRequests                int
}

// serveModel gives other programs a model without a key: to ua-think, which sends a
// conversation and gets an answer, and to foreign programs by the provider's own API. It works
// for the reader of its log, and ends with it.
func serveModel(env *prog.Env, args []string) error {
	o, err := parseServer(env, args)
	if err != nil {
		return err
	}
	cfg, err := settings.Load()
	if err != nil {
		return err
	}
	d := defaults(cfg)
	d.model, d.session.Effort = o.model, cmp.Or(o.effort, d.session.Effort)
	o.Config, o.Options, o.Allow = cfg, d.session, allowed(o.Allow, cfg)
	if err := o.chooseModel(d, cfg); err != nil {
		return err
	}
	made := "" // a token that the caller has given need not be printed again
	if o.tokenFD >= 0 {
		o.Token, err = readToken(o.tokenFD)
	} else if o.listen != "" { // a port that every user of the machine can reach
		made = rand.Text()
		o.Token = made
	}
	if err != nil {
		return err
	}
	o.Log, o.Budget = eventgateway.NewLog(env.Stdout), sharedbudget.New(o.limit)
	o.Budget.AtOnce = o.maxRequests
	if err := o.share(); err != nil {
		return err
	}
	ctx, stop := prog.Interruptible()
	defer stop()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		descriptor.HungUp(env.Stdout)
		end(prog.Exit(128 + int(syscall.SIGPIPE)))
	}()
	l, err := o.open()
	if err != nil {
		return err
	}
	defer l.Close()
	if !o.events && o.Model.Base != "" {
		httpgateway.Serve(ctx, o.Service, l, d.time)
	}
	scheme := "http://"
	if o.tlsCert != "" {
		scheme = session.Scheme
	}
	o.Ready(l.Addr(), scheme, made)
	if err := o.Serve(ctx, l); err != nil {
		return err
	}
	return prog.Exit(session.Interrupted(ctx))
}

// allowed returns the models of --allow, in which the settings' aliases have their models.
func allowed(list []string, cfg *settings.Settings) []string {
	for i, a := range list {
		if m, err := provider.Resolve(a, cfg); err == nil {
			list[i] = m.Spec()
		}
	}
	return list
}

// parseServer reads the command line of the verb. It needs exactly one place to listen
// at.
func parseServer(env *prog.Env, args []string) (*server, error) {
	o := &server{Service: &eventgateway.Service{MaxDepth: defaultMaxDepth},
		maxRequests: defaultMaxRequests}
	fs := prog.Flags()
	prog.List(fs, &o.Allow, "allow")
	fs.BoolVar(&o.AnyModel, "any-model", false, "")
	prog.Choice(fs, &o.effort, "effort", "", config.Efforts()...)
	fs.BoolVar(&o.events, "events", false, "")
	prog.Number(fs, &o.limit.Questions, "max-questions", 0, 1, 0)
	prog.Number(fs, &o.limit.Tokens, "budget-tokens", 0, 1, 0)
	prog.Amount(fs, &o.limit.USD, "budget-usd", 0)
	fs.StringVar(&o.listen, "listen", "", "")
	fs.StringVar(&o.Lives, "lives", "", "")
	prog.Number(fs, &o.MaxDepth, "max-depth", o.MaxDepth, 0, 0)
	prog.Number(fs, &o.maxRequests, "max-requests", o.maxRequests, 1, 0)
	for _, name := range []string{"m", "model"} {
		fs.StringVar(&o.model, name, "", "")
	}
	fs.StringVar(&o.socket, "socket", "", "")
	prog.Descriptor(fs, &o.socketFD, "socket-fd")
	fs.StringVar(&o.tlsCert, "tls-cert", "", "")
	fs.StringVar(&o.tlsKey, "tls-key", "", "")
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
	case (o.tlsCert != "") != (o.tlsKey != "") || o.tlsCert != "" && o.listen == "":
		return nil, prog.Errorf(prog.Trouble, "--tls-cert and --tls-key belong to --listen, both")
	}
	return o, nil
}

// chooseModel sets the model that clients get, with its key. Without a key the service of the
// run above answers.
func (o *server) chooseModel(d *options, cfg *settings.Settings) error {
	d.fallback = nil
	models, above, err := choose(d, cfg)
	switch {
	case err != nil:
		return err
	case above != nil:
		o.Above = above
		return nil
	case models[0].Base == "":
		return prog.Errorf(prog.Trouble, "%s has no API to serve", models[0].Spec())
	}
	o.Model = models[0]
	o.Client = transport.New(d.time)
	o.Client.Warm(o.Model.Base)
	return nil
}

// readToken reads what clients must send as their key from a descriptor of the caller's.
func readToken(fd int) (string, error) {
	f := os.NewFile(uintptr(fd), "token")
	if f == nil {
		return "", prog.Errorf(prog.Trouble, "--token-fd: %d is not a descriptor", fd)
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, 4096)).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", prog.Errorf(prog.Trouble, "--token-fd: descriptor %d: %v", fd, err)
	}
	token := strings.TrimSpace(line)
	if token == "" {
		return "", prog.Errorf(prog.Trouble, "--token-fd: descriptor %d holds no token", fd)
	}
	return token, nil
}

// share reads what others spend of the budget, a line each time. It returns once the first
// line is there, so that nothing is answered before.
func (o *server) share() error {
	if o.spentFD < 0 {
		return nil
	}
	lines := bufio.NewScanner(os.NewFile(uintptr(o.spentFD), "spent"))
	if !lines.Scan() {
		return prog.Errorf(prog.Trouble, "--spent-fd: descriptor %d has no line", o.spentFD)
	}
	take := func() {
		var spent spending.Sum
		if json.Unmarshal(lines.Bytes(), &spent) == nil {
			o.Budget.Others(spent)
		}
	}
	take()
	go func() {
		for lines.Scan() {
			take()
		}
	}()
	return nil
}

// open listens at the place that the options name.
func (o *server) open() (net.Listener, error) {
	switch {
	case o.socketFD >= 0:
		return eventgateway.ListenFD(o.socketFD)
	case o.tlsCert != "":
		return eventgateway.ListenTLS(o.listen, o.tlsCert, o.tlsKey)
	case o.listen != "":
		return eventgateway.ListenTCP(o.listen)
	}
	return eventgateway.ListenUnix(o.socket)
}
