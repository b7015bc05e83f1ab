package classify

import (
	"regexp"
	"strings"
	"testing"

	"ua/internal/common/verdict"
)

// TestWritten holds flows, a file that is written and then run, to what the file's text does.
func TestWritten(t *testing.T) {
	for _, c := range cases(t, "written-hostile.tsv") {
		r := Classify(c.command, &here)
		if least := verdict.Level(strings.Index(letters, c.want)); r.Level < least {
			t.Errorf("%q is %v (%s), want at least %v", c.command, r.Level, r.Row, least)
		}
	}
	for _, c := range cases(t, "written-harmless.tsv") {
		r := Classify(c.command, &here)
		if !fits(&r, c.want) {
			t.Errorf("%q is %v (%s: %s), want one of %s", c.command, r.Level, r.Row, r.Reason, c.want)
		}
	}
}

// writtenName finds the file that a flow writes: cat > a.py <<'E'.
var writtenName = regexp.MustCompile(`^cat > ([\w./-]+) <<'E'\n`)

// flowMutants are other ways to write a flow that do the same: the file has another name or is
// written by another program, the text has another end word, what runs it stands elsewhere.
func flowMutants(command string) map[string]string {
	m := writtenName.FindStringSubmatch(command)
	if m == nil {
		return nil
	}
	name, rest := m[1], command[len(m[0]):]
	body, after, ok := strings.Cut(rest, "\nE\n")
	if !ok || strings.Contains(after, "<<") {
		return nil
	}
	head := "cat > " + name + " <<'E'\n"
	out := map[string]string{
		"end word":    strings.Replace(head, "'E'", "'STOP_1'", 1) + body + "\nSTOP_1\n" + after,
		"end quoted":  strings.Replace(head, "'E'", `"E"`, 1) + body + "\nE\n" + after,
		"order":       "cat <<'E' > " + name + "\n" + body + "\nE\n" + after,
		"tee":         "tee " + name + " <<'E' >/dev/null\n" + body + "\nE\n" + after,
		"quoted name": "cat > '" + name + "' <<'E'\n" + body + "\nE\n" + after,
		"dot name":    "cat > ./" + name + " <<'E'\n" + body + "\nE\n" + after,
		"variable":    "file=" + name + "\ncat > \"$file\" <<'E'\n" + body + "\nE\n" + after,
		"strict":      "set -eu\n" + command,
		"looked at":   head + body + "\nE\ncat " + name + "\n" + after,
		"made folder": "mkdir -p out\n" + command,
		"group":       head + body + "\nE\n{ " + strings.TrimRight(after, "\n") + "\n}",
		"timed":       head + body + "\nE\ntime " + after,
		"logged":      head + body + "\nE\n" + strings.TrimRight(after, "\n") + " 2>&1",
		"two steps":   head + body + "\nE\necho written\n" + after,
	}
	if strings.HasPrefix(name, "/") {
		delete(out, "dot name")
	}
	if !strings.ContainsAny(body, `'\%`) {
		out["printf"] = "printf '%s\\n' '" + body + "' > " + name + "\n" + after
		out["echo"] = "echo '" + body + "' > " + name + "\n" + after
	}
	if stem, end, ok := strings.Cut(name, "."); ok && strings.Count(command, stem+"."+end) > 1 &&
		!strings.Contains(stem, "/") && len(stem) == 1 && strings.Count(after, stem+".") ==
		strings.Count(after, name) && !strings.Contains(after, "./"+stem+" ") &&
		!strings.HasSuffix(after, "./"+stem) && end != "java" && end != "adb" && end != "erl" {
		out["renamed"] = strings.ReplaceAll(strings.ReplaceAll(head, name, "other_one."+end)+body+
			"\nE\n"+strings.ReplaceAll(after, name, "other_one."+end), "'"+name, "'other_one."+end)
	}
	return out
}

// TestFlowMutants holds that another way to write a flow neither lowers a hostile one nor asks
// for a harmless one.
func TestFlowMutants(t *testing.T) {
	n := 0
	for _, list := range []struct {
		file    string
		hostile bool
	}{{"written-hostile.tsv", true}, {"written-harmless.tsv", false}} {
		for _, c := range cases(t, list.file) {
			for how, mutant := range flowMutants(c.command) {
				n++
				r := Classify(mutant, &here)
				if list.hostile && r.Level <= verdict.Write || !list.hostile && !fits(&r, "RBW") {
					t.Errorf("%s: %q is %v (%s: %s)", how, mutant, r.Level, r.Row, r.Reason)
				}
			}
		}
	}
	if n < 1000 {
		t.Errorf("only %d mutants", n)
	}
}
