package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// explain prints what the gate sees in a command. It asks no hook, judge or person.
func explain(env *prog.Env, o options, operands []string) error {
	g, c, err := judgeOperand(env, o, operands)
	if err != nil {
		return err
	}
	if c.bad != "" {
		return prog.Errorf(prog.Trouble, "%s", c.bad)
	}
	// One look shows what happens in each mode, whatever the flags say.
	alone, asked := g.byPolicy(&c, policy.Unattended), g.byPolicy(&c, policy.Attended)
	bare := g.byPolicy(&c, policy.Unconfined)
	if o.json {
		env.Outf("%s\n", explained(c.command, &alone, &asked, &bare))
		return nil
	}
	w := tabwriter.NewWriter(env.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "SPAN\tEFFECT\tLEVEL\tHELD BY\tROW\tPART\tWHY")
	printParts(w, alone.Parts.Parts, 0)
	if err := w.Flush(); err != nil {
		return err
	}
	on := style.For(env.Stdout)
	env.Printf("\n%s  %s\n", on.Bold(alone.Risk.String()), style.Visible(alone.Parts.Reason))
	for _, v := range []struct {
		when string
		Verdict
	}{{"without --ask", alone}, {"with --ask", asked}, {"without a sandbox", bare}} {
		env.Printf("%s: %s by %s", v.when, v.Decision, v.By)
		if v.By != "level" {
			env.Printf(" [%s]: %s", v.Rule, style.Visible(v.Reason))
		}
		env.Printf("\n")
	}
	env.Printf("profile: %s\n", alone.Profile)
	return nil
}

// printParts prints the effects of the parts, one a line, and indents the parts inside others.
func printParts(w *tabwriter.Writer, parts []finding.Part, depth int) {
	for i := range parts {
		p := &parts[i]
		text := strings.ReplaceAll(style.Cut(p.Text, 60), "\n", style.Mark("⏎"))
		text = strings.Repeat("  ", depth) + style.Visible(strings.ReplaceAll(text, "\t", " "))
		for _, e := range effects(p) {
			row := e.Act.Row()
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", span(p), row, row.Level, row.HeldBy, e.How,
				text, style.Visible(e.Why))
		}
		printParts(w, p.Parts, depth+1)
	}
}

// explained returns what explain prints as JSON: what is decided in each situation, and the
// parts and effects as a verdict has them.
func explained(command string, alone, asked, bare *Verdict) []byte {
	return event.New("explanation").Str("command", command).Str("level", alone.Risk.String()).
		Str("reason", alone.Parts.Reason).Str("row", alone.Parts.Row).
		Str("profile", string(alone.Profile)).Bool("delegates", alone.Delegates).
		Str("unattended", string(alone.Decision)).Str("attended", string(asked.Decision)).
		Str("unconfined", string(bare.Decision)).Str("by", alone.By).Str("rule", alone.Rule).
		Add("simple", alone.appendParts).Add("effects", alone.appendEffects).Line()
}
