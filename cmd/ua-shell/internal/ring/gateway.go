package ring

import (
	"os"
	"path/filepath"

	"ua/internal/common/gateway"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/spending"
	"ua/internal/common/stage"
)

// A Gateway is the way to the model for a program that has no key: a subagent inside a
// sandbox, or what stands in front of our gate.
type Gateway struct {
	*gateway.Gateway
	stage *member // that answers
}

// NewGateway makes the socket of that name in the folder.
func NewGateway(folder, name string) (*Gateway, error) {
	g, err := gateway.Open(filepath.Join(folder, name))
	return &Gateway{Gateway: g}, err
}

// Delegate prepares the ring for a command that starts ua. It returns the variables that
// make ua a subagent of this session.
func (r *Ring) Delegate() ([]string, error) {
	variables := []string{run.EnvDir + "=" + r.Run.Dir, run.EnvDepth + "=1"}
	g := r.Gateway
	if g == nil {
		return variables, nil
	}
	if !g.stage.alive() {
		if err := r.startGateway(g, r.below, r.answered, r.says("ua-think")); err != nil {
			return nil, err
		}
	}
	return append(variables, g.Env()...), nil
}

// Close removes the socket.
func (g *Gateway) Close() {
	g.Remove()
	os.Remove(filepath.Dir(g.Path)) // the judge's, which holds nothing else
}

// forJudge returns the variables by which the judge of a ua-gate in the user's line reaches
// a model. That ua-gate tells what the judge has used, so nothing is kept of what the
// gateway reports; and a model without an API, which cannot be served, needs none.
func (r *Ring) forJudge() (variables []string, err error) {
	if r.judge == nil {
		// A confined shell can write to the session's folder, and must not answer for a model.
		dir, err := os.MkdirTemp(filepath.Dir(r.Folder), "ua-shell-judge-")
		if err == nil {
			r.judge, err = NewGateway(dir, "judge.sock")
		}
		if err != nil {
			return nil, err
		}
	}
	if !r.judge.stage.alive() {
		err = r.startGateway(r.judge, r.judges, func([]byte) {}, func(string) {})
	}
	return r.judge.Env(), err
}

// mostQuestions is how many questions the commands of a session may ask.
const mostQuestions = "1000"

// startGateway starts ua-think serve. before is what was spent through it so far, line is
// called with what it reports, and said with each line of its stderr.
func (r *Ring) startGateway(g *Gateway, before journal.Tally, line func([]byte),
	said func(string)) error {
	r.share()
	args, files, err := g.Server(spending.Of(&before))
	if err != nil {
		return err
	}
	args = append(append(args, "--max-questions", mostQuestions), r.Think...)
	c, err := stage.Builtin("ua-think", prog.Repeat(args, "--allow", r.Models)...)
	if err != nil {
		return err
	}
	c.Extra = files
	g.stage, err = start(c, r.Post, line, said, r.end)
	return err
}
