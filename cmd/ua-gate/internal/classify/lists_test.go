package classify

import (
	"strings"
	"testing"
)

// TestPathIndex holds that the rules found by a path's names are those that match
// when each is tried.
func TestPathIndex(t *testing.T) {
	table := readTable(t)
	w, paths := machine{o: &here}, []string{"/", "~", "..", "../../etc/shadow", "/../etc/passwd"}
	for _, p := range table.paths.named {
		name := p.first
		if p.rest != "" {
			name += "/" + p.rest
		}
		if name = strings.ReplaceAll(name, "*", "x1"); name == "" {
			continue // the root
		}
		paths = append(paths, name, "/"+name, "~/"+name, "/a/"+name+"/b", "a/"+name[:len(name)-1]+"*",
			name+hole, strings.Replace(name, "/", "/?", 1), "/home/me/"+name, "x"+name)
	}
	for _, file := range []string{"exam-hostile.tsv", "everyday.tsv"} {
		for _, c := range cases(t, file) {
			paths = append(paths, strings.Fields(c.command)...)
		}
	}
	for _, text := range paths {
		p := w.place(text)
		var want pathKind
		for i, name := range p.names {
			plain := !uncertain(name)
			want |= matchAll(table.paths.named, &p, i, plain) | matchAll(table.paths.wild, &p, i, plain)
		}
		if last := len(p.names) - 1; want&pathSettings != 0 {
			want |= matchEach(table.paths.told, &p, last, !uncertain(p.names[last]))
		}
		if got := table.kinds(&p); got != want {
			t.Errorf("%q is %b, want %b", text, got, want)
		}
	}
}

// matchEach is matchAll without its look at two bytes.
func matchEach(rules []pathRule, p *place, i int, plain bool) (k pathKind) {
	for j := range rules {
		k |= rules[j].match(p, i, plain)
	}
	return k
}

// BenchmarkStart is what the first command costs a gate: the rows and rules that
// it asks for are decoded.
func BenchmarkStart(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		o := here
		Classify("git -C dir log --oneline -n 5 | grep -v wip && ls -l src", &o)
	}
}

// TestMatchAll holds the look at two bytes to the match that it saves.
func TestMatchAll(t *testing.T) {
	w := machine{o: &Options{}}
	rules := w.o.embedded().places().paths.wild
	if len(rules) < 10 {
		t.Fatalf("%d rules", len(rules))
	}
	for _, path := range []string{
		"/", "/a//b", "server.key", "x/key.pem", "/etc/a.p12", "~/.x/id_rsa.bak",
		"é", "/opt/vault_pass_1.txt", "a.pub", "p", "/tmp/.env.local/x",
		"*.key", "a.p?m", "[a]", "x[k]", "client_secret*", "a" + hole, hole + ".pem", "*", "?",
	} {
		p := w.place(path)
		for i, name := range p.names {
			plain := !uncertain(name)
			if got, want := matchAll(rules, &p, i, plain), matchEach(rules, &p, i, plain); got != want {
				t.Errorf("%q at %d: %v, want %v", path, i, got, want)
			}
		}
	}
}
