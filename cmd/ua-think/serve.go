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

	"ua/cmd/ua-think/internal/budget"
	"ua/cmd/ua-think/internal/gateway"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/service"
	"ua/cmd/ua-think/internal/session"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/transport"
	"ua/cmd/ua-think/internal/tunnel"
	"ua/internal/common/config"
	"ua/internal/common/descriptor"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/spending"
)

// A server holds the options of the verb serve.
type server struct {
	socket, listen    string
	tlsCert, tlsKey   string
	socketFD, tokenFD int
	spentFD           int
	events, anyModel  bool
	lives             string
	model, effort     string
	allow             []string
	budgetTokens      int64
	budgetUSD         float64
	maxDepth          int
	maxRequests       int
	maxQuestions      int64
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
	s := &service.Service{Config: cfg, Options: d.session, Lives: o.lives, MaxDepth: o.maxDepth,
		Allow: o.allowed(cfg), AnyModel: o.anyModel}
	if err := o.chooseModel(s, d, cfg); err != nil {
		return err
	}
	var made bool
	if s.Token, made, err = o.token(); err != nil {
		return err
	}
	s.Log = service.NewLog(env.Stdout)
	s.Budget = budget.New(spending.Sum{Questions: o.maxQuestions, Tokens: o.budgetTokens,
		USD: o.budgetUSD})
	s.Budget.AtOnce = o.maxRequests
	if err := o.share(s); err != nil {
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
	// A token that the caller has given need not be printed again.
	token := ""
	if made {
		token = s.Token
	}
	if !o.events && s.Model.Base != "" {
		gateway.Serve(ctx, s, l, d.time)
	}
	s.Ready(l.Addr(), token)
	if err := s.Serve(ctx, l); err != nil {
		return err
	}
	return prog.Exit(session.Interrupted(ctx))
}

// allowed returns the models of --allow, in which the settings' aliases have their models.
func (o *server) allowed(cfg *settings.Settings) (list []string) {
	for _, a := range o.allow {
		if m, err := provider.Resolve(a, cfg); err == nil {
			a = m.Spec()
		}
		list = append(list, a)
	}
	return list
}

// parseServer reads the command line of the verb. It needs exactly one place to listen
// at.
func parseServer(env *prog.Env, args []string) (*server, error) {
	o := &server{maxRequests: defaultMaxRequests, maxDepth: defaultMaxDepth}
	fs := prog.Flags()
	prog.List(fs, &o.allow, "allow")
	fs.BoolVar(&o.anyModel, "any-model", false, "")
	prog.Choice(fs, &o.effort, "effort", "", config.Efforts()...)
	fs.BoolVar(&o.events, "events", false, "")
	prog.Number(fs, &o.maxQuestions, "max-questions", 0, 1, 0)
	prog.Number(fs, &o.budgetTokens, "budget-tokens", 0, 1, 0)
	prog.Amount(fs, &o.budgetUSD, "budget-usd", 0)
	fs.StringVar(&o.listen, "listen", "", "")
	fs.StringVar(&o.lives, "lives", "", "")
	prog.Number(fs, &o.maxDepth, "max-depth", o.maxDepth, 0, 0)
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
func (o *server) chooseModel(s *service.Service, d *options, cfg *settings.Settings) error {
	d.fallback = nil
	models, above, err := choose(d, cfg)
	switch {
	case err != nil:
		return err
	case above != nil:
		s.Above = service.Above{Socket: os.Getenv(run.EnvGateway), Token: os.Getenv(run.EnvToken),
			Model: above.Model}
		return nil
	case models[0].Base == "":
		return prog.Errorf(prog.Trouble, "%s has no API to serve", models[0].Spec())
	}
	s.Model = models[0]
	s.Client = transport.New(d.time)
	s.Client.Warm(s.Model.Base)
	return nil
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
// line is there, so that nothing is answered before.
func (o *server) share(s *service.Service) error {
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
			s.Budget.Others(spent)
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
		return service.ListenFD(o.socketFD)
	case o.tlsCert != "":
		return tunnel.Listen(o.listen, o.tlsCert, o.tlsKey)
	case o.listen != "":
		return service.ListenTCP(o.listen)
	}
	return service.ListenUnix(o.socket)
}
