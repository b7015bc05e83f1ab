package ring

import (
	"strconv"

	"ua/cmd/ua/internal/gateway"
	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/stage"
)

// The keys of models in the environment are this process's and ua-think's alone
// (config.TakeKeys). A ua-gate needs them only for a judge, which no stage but it knows of.

// lendKeys lets a ua-gate of ours read the keys, which it does if it has a judge.
func (l *loop) lendKeys(c *stage.Command) error {
	if len(l.keys) == 0 {
		return nil
	}
	r, err := config.LendKeys(l.keys)
	if err != nil {
		return prog.Errorf(stage.StartStatus(err), "%w", err)
	}
	c.Argv = append(c.Argv, "--keys-fd", strconv.Itoa(firstExtra+len(c.Extra)))
	c.Extra = append(c.Extra, r)
	return nil
}

// firstExtra is the first descriptor of a stage's Extra files.
const firstExtra = 3

// openJudge creates the socket by which the judge of a ua-gate in the user's own line
// reaches a model: whatever else the line starts would have the keys as well.
func (l *loop) openJudge() (err error) {
	if l.o.Gate == "" || len(l.keys) == 0 || l.o.via != "" {
		return nil
	}
	l.judge, err = gateway.Open(l.run, "judge.sock")
	return err
}

// serveJudge lets that gateway answer until the run is over. Its events are not kept: what
// the judge has used is told by its ua-gate, and must not be counted twice.
func (l *loop) serveJudge() {
	l.judge.Serve(l.serverArgs(), l.keys, func([]byte) {}, func(err error) {
		l.env.Warnf("the judge's gateway: %v", err)
	})
}
