package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/person"
	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/verdict"
)

// says is a hook that says the same of every command, in an order of its own.
func says(word, onError, instead string) string {
	argv := fmt.Sprintf(`["echo", '{"decision":"%s","command":"%s"}']`, word, instead)
	switch word {
	case "none":
		argv = `["echo", "{}"]`
	case "fails":
		argv = `["false"]`
	}
	return "[[hooks.pre_exec]]\ncommand = " + argv + "\non_error = \"" + onError + "\"\n"
}

// TestHooksInARow holds what ua-policy(5) says of hooks, in any order and number: a denial
// denies; a hook that fails does what its on_error says; who asks is not overruled by another
// hook; nobody frees what is privileged or denied, or loosens what stands without hooks.
func TestHooksInARow(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	words := []string{"allow", "deny", "ask", "modify", "none", "fails"}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 9))
		command := []string{readOnly, write, destructive, network, privileged, denied}[r.IntN(6)]
		var text strings.Builder
		var order []string
		changed := command
		frees, denies, asks := false, false, false
		for range 1 + r.IntN(3) {
			word, onError := words[r.IntN(len(words))], []string{"deny", "ask", "ignore"}[r.IntN(3)]
			text.WriteString(says(word, onError, network))
			order = append(order, word+"/"+onError)
			switch {
			case denies:
			case word == "deny", word == "fails" && onError == "deny":
				denies = true
			case word == "ask", word == "fails" && onError == "ask":
				asks = true
			case word == "allow":
				frees = true
			case word == "modify":
				changed, frees = network, false
			}
		}
		for _, m := range []policy.Mode{unattended, attended} {
			plain := decided(t, testGate(t, m), changed, nil)
			g := testGate(t, m, text.String())
			g.env.Stderr = null
			v := decided(t, g, command, nil)
			story := fmt.Sprintf("seed %d, mode %d: %q with %v: %s by %s (%s)",
				seed, m, command, order, v.Decision, v.By, v.Reason)
			switch {
			case command == denied:
				if v.Decision != verdict.Deny {
					t.Error(story)
				}
				continue
			case denies:
				if v.Decision != verdict.Deny || v.By != "hook" {
					t.Error(story)
				}
				continue
			case asks && v.Decision == verdict.Allow:
				t.Errorf("%s: though a hook asks", story)
			case asks && m == unattended && v.Decision != verdict.Deny:
				t.Errorf("%s: with nobody there", story)
			}
			freed := frees && plain.Decision == verdict.Ask && plain.Risk < verdict.Privileged
			if policy.Strictness(v.Decision) < policy.Strictness(plain.Decision) && !freed {
				t.Errorf("%s: without hooks %s", story, plain.Decision)
			}
			if v.Decision == verdict.Allow && changed != command && v.Command != changed {
				t.Errorf("%s: %q runs", story, v.Command)
			}
			if !asks && !frees && v.Decision != plain.Decision {
				t.Errorf("%s: without hooks %s", story, plain.Decision)
			}
		}
	}
}

// TestHooksSeeEdits: a hook sees every command that may run, also one that the person has
// written in place of the model's.
func TestHooksSeeEdits(t *testing.T) {
	const hook = "[[hooks.pre_exec]]\n" +
		"command = [\"sh\", \"-c\", '''grep -q '\"command\":\"touch edited' && " +
		"echo '{\"decision\":\"deny\",\"reason\":\"not that\"}' || echo '{}' ''']\n" +
		"[[ask]]\npattern = \"touch *\"\n"
	for _, c := range []struct {
		command, by string
		want        verdict.Decision
	}{
		{"touch other", "person", verdict.Allow}, {"touch edited", "hook", verdict.Deny},
		{"ls", "person", verdict.Allow}, {denied, "level", verdict.Deny},
	} {
		g := testGate(t, attended, hook)
		g.person = &inTurn{replies: turns{{Word: "edit", Command: c.command}, {Word: "allow"}}}
		v := decided(t, g, "touch first", nil)
		if v.Decision != c.want || v.By != c.by || v.Command != c.command {
			t.Errorf("%q: %s by %s of %q (%s)", c.command, v.Decision, v.By, v.Command, v.Reason)
		}
	}
}

// inTurn is a person who gives the replies one after the other.
type inTurn struct {
	replies turns
	asked   []string
}

// turns are replies, one after the other.
type turns []person.Reply

func (p *inTurn) Ask(q *person.Question) (person.Reply, error) {
	p.asked = append(p.asked, q.Command)
	r := p.replies[0]
	p.replies = p.replies[1:]
	return r, nil
}
