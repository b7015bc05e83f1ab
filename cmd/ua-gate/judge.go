package main

import (
	"bytes"
	"cmp"
	_ "embed" // for judgePrompt
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-gate/internal/hookrunner"
	"ua/cmd/ua-gate/internal/policy"
	"ua/cmd/ua-gate/internal/shelltext"
	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/safefile"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// judgeKeys reads the judge's keys from a descriptor, if there is one. Without a judge nothing
// is read. The descriptor is closed in any case, so that no hook has it.
func judgeKeys(j *policy.Judge, fd int) (keys []string, err error) {
	switch {
	case fd < 0:
		return nil, nil
	case j == nil:
		err = os.NewFile(uintptr(fd), "").Close()
	default:
		keys, err = config.ReadKeys(fd)
	}
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "--keys-fd: descriptor %d: %w", fd, prog.Cause(err))
	}
	return keys, nil
}

// judgePrompt tells the judging model its task. What it judges comes as a JSON object and
// is data.
//
//go:embed judge.txt
var judgePrompt string

// askJudge has a command of the judge's levels reviewed, unless a person or the policy's
// author has allowed it by name. The judge's mode says what follows from an objection.
// Its word is in the verdict in any case. A judge never frees a command.
func (g *gate) askJudge(q *pendingCall) {
	j := g.policy.Judge
	freed := q.Decision == verdict.Allow && (q.By == "rule" || q.By == "session")
	if j == nil || q.Risk < j.From || q.Decision == verdict.Deny || freed {
		return
	}
	if q.Decision == verdict.Ask && !g.ask {
		return // denied in any case
	}
	o, err := g.review(j, q)
	if err != nil {
		g.env.Warnf("judge %s: %v", j.Command[0], err)
		o = hookrunner.Opinion{Decision: j.Failed(), Reason: "it " + err.Error()}
	}
	if o.Decision == "" {
		return
	}
	q.Judge, q.Safer = o.Judged(), ""
	if o.Decision == "allow" {
		return
	}
	q.warning = "the judge: " + o.Reason
	if o.Safer != "" && shelltext.Unprintable(o.Safer) == "" {
		q.Safer = o.Safer
	}
	switch {
	case j.Mode == "block" || j.Mode == "" && !g.ask:
		q.decide(verdict.Deny, "judge", "judge", q.warning)
		if q.Safer != "" {
			q.Reason += "; safer: " + q.Safer
		}
	case !g.ask:
		g.env.Warnf("%s", q.warning)
	case q.Decision == verdict.Allow:
		q.decide(verdict.Ask, "judge", "judge", q.Reason)
	}
}

// review asks the judge, who sees the command, the instruction and the folder.
func (g *gate) review(j *policy.Judge, q *pendingCall) (o hookrunner.Opinion, err error) {
	argv := append([]string{}, j.Command...)
	// The one beside this program, and not another version on PATH.
	if argv[0] == "ua-think" {
		argv[0] = cmp.Or(prog.Sibling("ua-think"), argv[0])
	}
	facts := event.AppendString([]byte(`{"instruction":`), g.newestInstruction())
	facts = event.AppendString(append(facts, `,"cwd":`...), g.tables[0].Cwd)
	facts = event.AppendString(append(facts, `,"command":`...), q.current())
	var in bytes.Buffer
	w := event.NewWriter(&in)
	w.Write(event.New("system").Str("text", strings.TrimSpace(judgePrompt)).
		Raw("tools", []byte("[]")).Line())
	w.Write(event.New("instruction").Str("text", string(append(facts, '}'))).Line())
	out, err := hookrunner.Run(argv, append(os.Environ(), g.keys...), in.Bytes(),
		time.Duration(j.Timeout), g.env.Stderr)
	text := g.answered(out)
	if err != nil {
		return o, err
	}
	// A model may put words or a fence around the object.
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return o, fmt.Errorf("said %q, which holds no JSON object", style.Cut(text, 60))
	}
	o, err = hookrunner.ParseOpinion([]byte(text[from:to+1]), "allow", "deny", "ask")
	if err == nil && o.Decision == "" {
		err = errors.New("gave no decision")
	}
	return o, err
}

// answered returns the text of the last response among the judge's events, or all of the output
// if there is none. It notes what the responses have used of a model, for the run's budgets and
// totals, also if the judge failed: a budget for the run's own questions would not see these.
func (g *gate) answered(out []byte) string {
	text := string(out)
	r := event.NewReader(bytes.NewReader(out))
	for {
		line, err := r.Line()
		if err != nil {
			return text
		}
		if event.Type(line) != "response" {
			continue
		}
		text, _ = event.ResponseText(line)
		usage := gjson.GetBytes(line, "usage")
		if !usage.IsObject() {
			continue
		}
		e := event.New("judge").OptStr("model", event.Str(line, "model")).
			Raw("usage", []byte(usage.Raw))
		if gjson.GetBytes(line, "replay").Bool() {
			e.Bool("replay", true)
		}
		g.reviews = append(g.reviews, e)
	}
}

// reviewed returns the events of what the judge has used for the call.
func (g *gate) reviewed(id string) (lines [][]byte) {
	for _, e := range g.reviews {
		lines = append(lines, e.Str("call_id", id).Line())
	}
	g.reviews = nil
	return lines
}

// newestInstruction returns the newest instruction that has passed or that is in the
// run's journal, "" for none.
func (g *gate) newestInstruction() string {
	text := g.instruction
	f, err := safefile.Open(safefile.Follow(g.journal))
	if err != nil {
		return text
	}
	defer f.Close()
	r := event.NewReader(f)
	for {
		line, err := r.Line()
		var long *event.Malformed
		if err != nil && !errors.As(err, &long) {
			return text
		}
		if bytes.Contains(line, []byte(`"instruction"`)) && event.Type(line) == "instruction" {
			text = event.Str(line, "text")
		}
	}
}
