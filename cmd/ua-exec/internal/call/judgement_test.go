package call

import (
	"strings"
	"testing"

	"ua/internal/common/verdict"
)

// What a verdict does not plainly allow is denied, in its own words where it has some.
func TestParseJudgement(t *testing.T) {
	const plain = `"risk":"write","profile":"workspace"`
	for _, c := range []struct{ members, denied string }{
		{plain + `,"decision":"allow"`, ""},
		{plain + `,"decision":"allow","reason":"a rule"`, ""},
		{plain + `,"decision":"deny"`, "the gate denied it"},
		{plain + `,"decision":"deny","reason":" not today "`, "not today"},
		{plain + `,"decision":"deny","reason":" "`, "the gate denied it"},
		{plain + `,"decision":"ask"`, "it needs a person's approval, and none was given"},
		{plain, "the gate denied it"},
		{plain + `,"decision":"ALLOW"`, "the gate denied it"},
		{plain + `,"decision":["allow"]`, "the gate denied it"},
		{`"profile":"workspace","decision":"allow"`, "the verdict names no risk level: "},
		{`"risk":"harmless","profile":"workspace","decision":"allow"`,
			"the verdict names no risk level: "},
		{`"risk":"denied","profile":"workspace","decision":"allow"`,
			"commands of risk denied never run"},
		{`"risk":"write","decision":"allow"`, "the verdict names no sandbox profile: "},
		{`"risk":"write","profile":"wide","decision":"allow"`,
			"the verdict names no sandbox profile: "},
		{plain + `,"decision":"allow","command":7`, "the verdict changes the command to something that"},
		{plain + `,"decision":"allow","command":null`,
			"the verdict changes the command to something that"},
		{plain + `,"decision":"allow","grant":{"write":["/opt/x"],"host":["example.org"]}`, ""},
		{plain + `,"decision":"allow","grant":{"write":["/"]}`, "the grant names no folder: "},
		{plain + `,"decision":"allow","grant":{"all":true}`, "the grant can't be read"},
		{plain + `,"decision":"allow","grant":{},"grant":{"host":["a.b"]}`,
			"the verdict has two members "},
		{"", "the verdict names no risk level: "},
	} {
		j := Parse([]byte(`{"type":"verdict",` + strings.TrimSuffix(c.members, ",") + `}`))
		if c.members == "" {
			j = Parse([]byte(`junk`))
		}
		if !strings.HasPrefix(j.Denied, c.denied) || c.denied == "" && j.Denied != "" {
			t.Errorf("%s: %q, want %q", c.members, j.Denied, c.denied)
		}
	}
}

// A verdict may put another command in the place of the call's, an empty one too.
func TestJudged(t *testing.T) {
	for members, want := range map[string]string{"": "ls", `,"command":"ls -l"`: "ls -l",
		`,"command":""`: ""} {
		c := &Call{Command: "ls"}
		c.Judged(Parse([]byte(`{"risk":"write","profile":"network","decision":"allow",` +
			`"delegates":true` + members + `}`)))
		if c.Command != want || c.Risk != verdict.Write || c.Profile != verdict.ProfileNetwork ||
			!c.Delegates {
			t.Errorf("%s: %+v", members, c)
		}
	}
}
