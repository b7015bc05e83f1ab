package runfolder

import (
	"maps"
	"os"
	"path/filepath"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/run"
	"ua/internal/common/spending"
)

// Spent is what agents without a key have used of a model, as counted by the gateway that
// holds the key.
type Spent struct {
	Requests  int64   `json:"requests"` // that the model answered
	Calls     int64   `json:"calls"`    // that it proposed in these answers
	TokensIn  int64   `json:"tokens_in"`
	TokensOut int64   `json:"tokens_out"`
	CostUSD   float64 `json:"cost_usd"`
}

// Tokens returns the sum of the tokens in both directions.
func (s Spent) Tokens() int64 { return s.TokensIn + s.TokensOut }

// Sum returns what counts for a budget.
func (s Spent) Sum() spending.Sum {
	return spending.Sum{Questions: s.Requests, Tokens: s.Tokens(), USD: s.CostUSD}
}

// add adds o to s.
func (s *Spent) add(o Spent) {
	s.Requests += o.Requests
	s.Calls += o.Calls
	s.TokensIn += o.TokensIn
	s.TokensOut += o.TokensOut
	s.CostUSD += o.CostUSD
}

// A Ledger is what a run's gateway has seen of the agents below the run (ua-think(1),
// serve). It is kept in the run's journal, which no agent can write; the folders of the
// agents' own runs prove nothing. An agent tells the gateway its name and could use that
// of another, but no agent can change the sum. The zero value is empty.
type Ledger struct {
	// What all of them together have used.
	All    Spent
	agents map[string]Spent
}

// Add takes in a model_request event and ignores every other.
func (l *Ledger) Add(line []byte) {
	if event.Type(line) != "model_request" {
		return
	}
	var s Spent
	if u := gjson.GetBytes(line, "usage"); u.Exists() {
		var t journal.Tally
		t.Use(u)
		s = Spent{1, max(gjson.GetBytes(line, "tool_calls").Int(), 0), t.TokensIn, t.TokensOut,
			t.CostUSD}
	}
	l.All.add(s)
	name := event.Str(line, "agent")
	// Agents choose their names, so the number of names has a limit; All has none.
	had, known := l.agents[name]
	if name == "" || !known && len(l.agents) >= namesMax {
		return
	}
	if l.agents == nil {
		l.agents = map[string]Spent{}
	}
	had.add(s)
	l.agents[name] = had
}

// Clone returns a copy that is independent of l, or nil for nil.
func (l *Ledger) Clone() *Ledger {
	if l == nil {
		return nil
	}
	return &Ledger{l.All, maps.Clone(l.agents)}
}

// Of returns what the agent with that run ID has used, and whether it has asked at all.
func (l *Ledger) Of(id string) (s Spent, asked bool) {
	s, asked = l.agents[id]
	return s, asked
}

// vouch replaces what the folder of a subagent says about its use with what the ledger
// says. Each name counts once, since a command can give a folder the name of another
// agent's run.
func (l *Ledger) vouch(i *Info) {
	i.sub = true
	s, asked := l.Of(i.ID)
	if i.Claimed = !asked; !asked {
		return
	}
	delete(l.agents, i.ID)
	i.Spent = s
	t := &i.Tally
	t.Calls, t.TokensIn, t.TokensOut, t.CacheRead, t.CostUSD = s.Requests, s.TokensIn, s.TokensOut,
		0, s.CostUSD
}

// above returns the ledger of the topmost run above a folder of subagents whose journal
// can be read here. It is nil for a folder that belongs to no run.
func above(folder string) *Ledger {
	var top *run.Run
	r, ok := run.Run{Dir: filepath.Join(folder, "any")}.Above()
	for ; ok; r, ok = r.Above() {
		if _, err := os.Stat(r.Journal()); err == nil {
			top = &run.Run{ID: r.ID, Dir: r.Dir}
		}
	}
	if top == nil {
		return nil
	}
	return &Read(*top).Ledger
}
