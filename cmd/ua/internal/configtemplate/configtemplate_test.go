package configtemplate

import (
	"bufio"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// TestText holds that the file is TOML with and without its comment signs, and lists
// the keys that ua-config(5) has for ua's own tables.
func TestText(t *testing.T) {
	var tables map[string]map[string]any
	if _, err := toml.Decode(Text, &tables); err != nil {
		t.Fatal(err)
	}
	open := regexp.MustCompile(`(?m)^#([a-z_]+ = |\[)`).ReplaceAllString(Text, "$1")
	if _, err := toml.Decode(open, &tables); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../../man/ua-config.5")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"ua", "agents", "sandbox"} {
		_, text, _ := strings.Cut(string(page), ".Ss ["+table+"]\n")
		text, _, _ = strings.Cut(text, ".Ss ")
		var want, got []string
		for _, m := range regexp.MustCompile(`(?m)^\.It Cm (.*)$`).FindAllStringSubmatch(text, -1) {
			want = append(want, strings.Split(m[1], " , ")...)
		}
		for key := range tables[table] {
			got = append(got, key)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("[%s]\nhas      %q\nman page %q", table, got, want)
		}
	}
}

func TestMerge(t *testing.T) {
	list, err := Merge([]byte("[ua]\nmax_turns = 7\n[sandbox]\nwrite = [\"/a "+
		"b\"]\n[provider.mine]\napi_key = \"k3y\"\nbase_url = \"http://x\"\n[price.\"a/*\"]\ninput = "+
		"1.5\n"), "f.toml")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Print(bufio.NewWriter(&b), list); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"max_turns = 7 +# f.toml\n", `write = \["/a b"\] +# f.toml`, "max_commands = 200 +# built in\n",
		`\[provider.mine\]\napi_key = "\(hidden\)"`,
		`\[price."a/\*"\]\ninput = 1.5`, `mem = "8G" +# built in`,
		`net_allow = \["packages", "git"\] +# built in`,
	} {
		if !regexp.MustCompile(want).MatchString(b.String()) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "time_limit") {
		t.Error("shows what is not set")
	}
	if strings.Contains(b.String(), "k3y") {
		t.Error("shows the key")
	}
	if len(BuiltIn()) < 30 {
		t.Errorf("%d built in", len(BuiltIn()))
	}
}
