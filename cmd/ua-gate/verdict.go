package main

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/grant"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/event"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// A Verdict is what the gate says of one call (ua-gate(1)).
type Verdict struct {
	Risk     verdict.Level
	Decision verdict.Decision
	// who decided: input, level, rule, hook, session, judge, person or an earlier gate
	By        string
	Reason    string // in words that the model can act on
	Rule      string // the rule or row that decided
	Profile   verdict.Profile
	Delegates bool
	Command   string        // what runs instead of the call's own command; "" if that runs
	Judge     string        // what the judge said, if it was asked
	Safer     string        // the command that it proposes instead, if it objects
	Grant     verdict.Grant // what the call may do beyond its profile, once it is allowed
	Parts     finding.Report
}

// refusal returns the verdict on a call that cannot be judged.
func refusal(by, reason string) Verdict {
	return Verdict{
		Risk: verdict.Denied, Decision: verdict.Deny, By: by, Reason: reason,
		Profile: verdict.ProfileReadOnly,
	}
}

// event returns the verdict as an event.
func (v *Verdict) event(id string) []byte {
	return v.members(event.New("verdict").Str("call_id", id)).Line()
}

// members adds the verdict's members to an event.
func (v *Verdict) members(e *event.Builder) *event.Builder {
	if v.Decision == verdict.Allow && !v.Grant.Empty() {
		e.Raw("grant", v.Grant.JSON())
	}
	return e.Str("risk", v.Risk.String()).Str("decision", string(v.Decision)).
		Str("by", v.By).Str("reason", v.Reason).OptStr("rule", v.Rule).
		Str("profile", string(v.Profile)).Bool("delegates", v.Delegates).
		OptStr("command", v.Command).OptStr("judge", v.Judge).OptStr("safer", v.Safer).
		Add("simple", v.appendParts).Add("effects", v.appendEffects)
}

// maxEffects is how many effects a verdict tells.
const maxEffects = 32

// maxText is how many bytes of a part's text a verdict shows.
const maxText = 256

// effects returns what the part does by itself.
func effects(p *finding.Part) []judgement.Effect {
	if len(p.Effects) > 0 {
		return p.Effects
	}
	return []judgement.Effect{{Act: judgement.Of(p.Level), What: p.Path, How: p.Row, Why: p.Reason}}
}

// span says where the part stands: its line and column, and the bytes up to its end.
func span(p *finding.Part) string {
	if p.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%d:%d+%d", p.Line, p.Col, len(p.Text))
}

// appendEffects appends what the parts do, as explain prints it, as a JSON array: each effect
// once, and no more than a verdict has room for.
func (v *Verdict) appendEffects(b []byte) []byte {
	b = append(b, '[')
	said := make([]judgement.Effect, 0, 8)
	for p := range v.Parts.All() {
		for _, e := range effects(p) {
			if slices.Contains(said, e) || len(said) == maxEffects {
				continue
			}
			if said = append(said, e); len(said) > 1 {
				b = append(b, ',')
			}
			row := e.Act.Row()
			b = event.AppendString(append(b, `{"kind":`...), string(row.Kind))
			b = event.AppendString(append(b, `,"what":`...), row.What)
			if e.What != "" {
				b = event.AppendString(append(b, `,"path":`...), style.Cut(e.What, maxText))
			}
			b = append(append(append(b, `,"level":"`...), row.Level.String()...), '"')
			b = event.AppendString(append(b, `,"held_by":`...), string(row.HeldBy))
			b = event.AppendString(append(b, `,"how":`...), style.Cut(e.How, maxText))
			b = event.AppendString(append(b, `,"reason":`...), style.Cut(e.Why, maxText))
			if p.Line > 0 {
				b = fmt.Appendf(b, `,"span":"%d:%d+%d"`, p.Line, p.Col, len(p.Text))
			}
			b = append(b, '}')
		}
	}
	return append(b, ']')
}

// appendParts appends the parts as a JSON array.
func (v *Verdict) appendParts(b []byte) []byte {
	b = append(b, '[')
	for p := range v.Parts.All() {
		if b[len(b)-1] == '}' {
			b = append(b, ',')
		}
		b = event.AppendString(append(b, `{"text":`...), style.Cut(p.Text, maxText))
		if p.Line > 0 {
			b = fmt.Appendf(b, `,"pos":"%d:%d"`, p.Line, p.Col)
		}
		b = append(append(append(b, `,"level":"`...), p.Level.String()...), '"')
		if p.Row != "" {
			b = event.AppendString(append(b, `,"row":`...), p.Row)
		}
		if p.Unread {
			b = append(b, `,"unread":true`...)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// parseVerdict reads the verdict of an upstream gate. A member that is left out tightens
// nothing, but there has to be a decision. A verdict that cannot be read, or that says two
// things, counts as a denial.
func parseVerdict(line []byte) Verdict {
	var m [10]gjson.Result
	twice := event.Members(gjson.ParseBytes(line), m[:], "risk", "decision", "by", "reason", "rule",
		"profile", "delegates", "command", "grant", "call_id")
	v := Verdict{
		Profile: verdict.ProfileNone, Decision: verdict.Decision(m[1].Str), By: m[2].Str,
		Reason: m[3].Str,
		Rule:   m[4].Str, Delegates: !m[6].Exists() || m[6].Bool(), Command: m[7].Str,
	}
	var err, err2, err3 error
	if m[8].Exists() {
		v.Grant, err3 = verdict.ParseGrant([]byte(m[8].Raw))
	}
	if m[0].Exists() {
		v.Risk, err = verdict.ParseLevel(m[0].String())
	}
	// Without a profile the gate's own one holds.
	if m[5].Exists() {
		v.Profile, err2 = verdict.ParseProfile(m[5].String())
	}
	if err != nil || err2 != nil || err3 != nil || policy.Strictness(v.Decision) < 0 || twice != "" {
		return refusal("gate", "an earlier gate's verdict can't be read")
	}
	if v.By == "" {
		v.By = "gate"
	}
	return v
}

// tighten makes v at least as strict as an upstream gate's verdict on the same command.
func (v *Verdict) tighten(up Verdict) {
	if policy.Strictness(up.Decision) > policy.Strictness(v.Decision) {
		v.Decision, v.By, v.Reason, v.Rule = up.Decision, up.By, up.Reason, up.Rule
	}
	v.Risk = max(v.Risk, up.Risk)
	if up.Profile.Within(v.Profile) {
		v.Profile = up.Profile
	}
	v.Delegates = v.Delegates && up.Delegates
	v.Grant = grant.Both(v.Grant, up.Grant)
	if v.Risk == verdict.Denied {
		v.Decision = verdict.Deny
	}
}
