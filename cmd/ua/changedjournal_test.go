package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestChangedJournal goes on with a run whose journal somebody has changed, and says so,
// where a result was changed, or a second one was put behind it or at the end. Of two results
// the first one counts.
func TestChangedJournal(t *testing.T) {
	forged := func(line string) string { return strings.Replace(line, "genuine", "planted", 1) }
	for name, c := range map[string]struct {
		change func(lines []string, result int) []string
		warned bool
		sent   string // to the model, of the two words
	}{
		"intact": {func(lines []string, _ int) []string { return lines }, false, "genuine"},
		"changed": {func(lines []string, i int) []string {
			lines[i] = forged(lines[i])
			return lines
		}, true, "planted"},
		"doubled": {func(lines []string, i int) []string {
			return append(lines[:i+1], append([]string{forged(lines[i])}, lines[i+1:]...)...)
		}, true, "genuine"},
		"appended": {func(lines []string, i int) []string {
			return append(lines, forged(lines[i]))
		}, true, "genuine"},
		"by hand": {func(lines []string, i int) []string {
			result, _, _ := strings.Cut(lines[i], `,"prev":`)
			return append(lines, forged(result)+"}")
		}, true, "genuine"},
	} {
		for _, verb := range []string{"resume", "fork"} {
			p := newPlace(t, os.Getuid())
			m := p.model("call: printf '%s' genu; echo ine\n---\ntext: done\n---\ntext: more")
			p.run("ua", "task")
			dir := p.glob("*")[0]
			path := filepath.Join(dir, "journal.jsonl")
			kept, _ := os.ReadFile(path)
			lines := strings.Split(strings.TrimSuffix(string(kept), "\n"), "\n")
			result := 0
			for i, line := range lines {
				if strings.Contains(line, `"type":"tool_result"`) {
					result = i
				}
			}
			p.write(path, strings.Join(c.change(lines, result), "\n")+"\n")
			id := filepath.Base(dir)
			out, errs, status := p.run("ua", verb, id, "go on")
			warned := strings.Count(errs, "ua-journal verify "+id)
			if status != 0 || out != "more\n" || warned != map[bool]int{true: 1}[c.warned] {
				t.Errorf("%s, %s: status %d, %q, %s", name, verb, status, out, errs)
			}
			sent, _ := os.ReadFile(filepath.Join(m.Dir, "requests/3"))
			for _, word := range []string{"genuine", "planted"} {
				if strings.Contains(string(sent), word) != (word == c.sent) {
					t.Errorf("%s, %s: the model is sent %s", name, verb, sent)
				}
			}
		}
	}
}
