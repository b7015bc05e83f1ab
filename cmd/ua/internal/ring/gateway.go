package ring

import (
	"strconv"

	"ua/cmd/ua/internal/gateway"
	"ua/cmd/ua/internal/outlet"
)

// openGateway creates the gateway's socket if this run can have subagents and its model
// is ours to ask.
func (l *loop) openGateway() (err error) {
	if !l.o.mayDelegate() || l.o.Exec != "" || l.o.Think != "" || l.o.via != "" {
		return nil
	}
	l.gateway, err = gateway.Open(l.run, "gateway.sock")
	return err
}

// serveGateway lets the gateway answer until the run is over.
func (l *loop) serveGateway() {
	l.gateway.Serve(l.serverArgs(), l.keys, l.toJournal.Offer, func(err error) {
		l.env.Warnf("the subagents' gateway: %v", err)
	})
}

// serverArgs returns the options of ua-think serve. All subagents together share the
// budget of the run, and only agents within the permitted depth are served.
func (l *loop) serverArgs() []string {
	o := l.o
	args := []string{"--max-depth", strconv.Itoa(o.maxDepth - 1),
		"--max-requests", strconv.Itoa(max(o.limits.AtOnce, o.limits.PerParent))}
	if o.Model != "" {
		args = append(args, "--model", o.Model)
	}
	return append(args, o.budgetArgs()...)
}

// budgetArgs returns the options that make ua-think enforce the run's budget.
func (o *options) budgetArgs() (args []string) {
	if o.Limits.Tokens > 0 {
		args = append(args, "--budget-tokens", strconv.FormatInt(o.Limits.Tokens, 10))
	}
	if o.Limits.USD > 0 {
		args = append(args, "--budget-usd", strconv.FormatFloat(o.Limits.USD, 'g', -1, 64))
	}
	return args
}

// outlets returns the sockets that exist.
func (l *loop) outlets() (list []*outlet.Outlet) {
	for _, g := range []*gateway.Gateway{l.gateway, l.judge} {
		if g != nil {
			list = append(list, g.Outlet)
		}
	}
	return list
}

// closeOutlets ends what answers at the sockets, and removes them.
func (l *loop) closeOutlets() {
	for _, o := range l.outlets() {
		o.Close(l.run.Dir)
	}
}
