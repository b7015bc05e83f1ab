package stages

import (
	"ua/internal/common/gateway"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/stage"
)

// Delegate prepares the ring for a command that starts ua. It returns the variables that
// make ua a subagent of this session.
func (r *Ring) Delegate() []string {
	if r.Gateway != nil && !r.serving {
		r.serving = true
		r.serve(r.Gateway, r.answered, r.says("ua-think"))
	}
	return append([]string{run.EnvDir + "=" + r.Run.Dir, run.EnvDepth + "=1"}, r.Gateway.Env()...)
}

// forJudge returns the variables by which the judge of a ua-gate in the user's line reaches
// a model. That ua-gate tells what the judge has used, so nothing is kept of what the
// gateway reports; and a model without an API, which cannot be served, needs none.
func (r *Ring) forJudge() (variables []string, err error) {
	if r.judge == nil {
		// A confined shell can write to the session's folder, and must not answer for a model.
		if r.judge, err = gateway.Open(r.Run, "judge.sock"); err != nil {
			return nil, err
		}
		r.serve(r.judge, func([]byte) {}, func(string) {})
	}
	return r.judge.Env(), nil
}

// mostQuestions is how many questions the commands of a session may ask.
const mostQuestions = "1000"

// serve has ua-think serve answer whoever asks at a gateway. line is called with what it
// reports, and said with each line of its stderr.
func (r *Ring) serve(g *gateway.Gateway, line func([]byte), said func(string)) {
	r.share()
	options := prog.Repeat(append([]string{"--max-questions", mostQuestions}, r.ThinkArgs...),
		"--allow", r.Settings.Models)
	go g.Serve(func(args []string) (stage.Command, error) {
		c, err := stage.Builtin("ua-think", append(args, options...)...)
		c.Group, c.Said = true, func(text string) { r.Post(func() { said(text) }) }
		return c, err
	}, func(text []byte) { r.Post(func() { line(text) }) },
		func(err error) { r.Post(func() { said(err.Error()) }) })
}
