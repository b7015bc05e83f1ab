package table

import (
	"os"
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/match"
)

// TestPathIndex holds that the rules found by a path's names are those that match
// when each is tried.
func TestPathIndex(t *testing.T) {
	table := readTable(t)
	paths := []string{"/", "~", "..", "../../etc/shadow", "/../etc/passwd"}
	for _, p := range table.paths.named {
		name := p.first
		if p.rest != "" {
			name += "/" + p.rest
		}
		if name = strings.ReplaceAll(name, "*", "x1"); name == "" {
			continue // the root
		}
		paths = append(paths, name, "/"+name, "~/"+name, "/a/"+name+"/b", "a/"+name[:len(name)-1]+"*",
			name+match.Hole, strings.Replace(name, "/", "/?", 1), "/home/me/"+name, "x"+name)
	}
	for _, file := range []string{"exam-hostile.tsv", "everyday.tsv"} {
		text, err := os.ReadFile("../classify/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, strings.Fields(string(text))...)
	}
	for _, text := range paths {
		p := PlaceOf(text, "/home/me")
		var want PathKind
		for i, name := range p.Names {
			plain := !uncertain(name)
			want |= matchAll(table.paths.named, &p, i, plain) | matchAll(table.paths.wild, &p, i, plain)
		}
		if last := len(p.Names) - 1; want&PathSettings != 0 {
			want |= matchEach(table.paths.told, &p, last, !uncertain(p.Names[last]))
		}
		if got := table.Kinds(&p); got != want {
			t.Errorf("%q is %b, want %b", text, got, want)
		}
	}
}

// matchEach is matchAll without its look at two bytes.
func matchEach(rules []pathRule, p *Place, i int, plain bool) (k PathKind) {
	for j := range rules {
		k |= rules[j].match(p, i, plain)
	}
	return k
}

// TestMatchAll holds the look at two bytes to the match that it saves.
func TestMatchAll(t *testing.T) {
	rules := Embedded().places().paths.wild
	if len(rules) < 10 {
		t.Fatalf("%d rules", len(rules))
	}
	for _, path := range []string{
		"/", "/a//b", "server.key", "x/key.pem", "/etc/a.p12", "~/.x/id_rsa.bak",
		"é", "/opt/vault_pass_1.txt", "a.pub", "p", "/tmp/.env.local/x",
		"*.key", "a.p?m", "[a]", "x[k]", "client_secret*", "a" + match.Hole, match.Hole + ".pem", "*",
		"?",
	} {
		p := PlaceOf(path, "")
		for i, name := range p.Names {
			plain := !uncertain(name)
			if got, want := matchAll(rules, &p, i, plain), matchEach(rules, &p, i, plain); got != want {
				t.Errorf("%q at %d: %v, want %v", path, i, got, want)
			}
		}
	}
}
