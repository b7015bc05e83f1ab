package main

import (
	"os"
	"os/exec"
	"slices"
	"strconv"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/prog"
	around "ua/internal/common/run"
	"ua/internal/common/verdict"
)

// heldBySandbox reports whether our sandbox holds all that the part does beyond what runs unasked,
// so that there is nothing to ask a person about.
func (g *gate) heldBySandbox(p *finding.Part) bool {
	return g.mode == policy.Attended && g.levels[verdict.Write] == verdict.Allow &&
		g.levels[verdict.Destructive] == verdict.Ask && !p.Held && len(p.Effects) > 0 &&
		!slices.ContainsFunc(p.Effects, g.unheld) &&
		g.confines()
}

// unheld reports whether neither the sandbox nor a try keeps the effect from harm. What a policy
// says of such a level in a try comes first.
func (g *gate) unheld(e judgement.Effect) bool {
	const l = verdict.Destructive
	tried := g.try && !g.policy.OfTry(l)
	return e.Act.Row().HeldBy != judgement.Sandbox &&
		!(tried && (e.Act == judgement.LosesFiles || undone(e)))
}

// undone reports whether an effect holds a part only for files that nobody knows, or that leave
// the workspace: a try shows which they are.
func undone(e judgement.Effect) bool {
	return e.Act == judgement.LosesAll && (e.How == "path:unknown" || e.How == "path:vanishes")
}

// confines reports whether the sandbox in which ua-exec runs commands has tier 3 or better: the
// one around this program, or what ua-sandbox finds to work here.
func confines() bool {
	if tier, _ := strconv.Atoi(os.Getenv(around.EnvSandbox)); tier > 0 {
		return tier >= 3
	}
	out, err := exec.Command(prog.Sibling("ua-sandbox"), "--probe", "--json").Output()
	return err == nil && gjson.GetBytes(out, "tier").Int() >= 3
}
