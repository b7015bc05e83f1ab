package classify

import "testing"

// TestSubshells holds what two opening brackets begin: arithmetic, or subshells, as bash says.
func TestSubshells(t *testing.T) {
	needPrettyBash(t)
	for command, want := range map[string]string{
		"((ls | cat) && pwd)":                     "R",
		"((ls); (pwd))":                           "R",
		"((echo a; echo b) | sort)":               "R",
		"echo $((cat a) | wc -l)":                 "R",
		`x="$((cat a; cat b) | wc -l)"; ls`:       "R",
		"if ((ls | grep x) && true); then ls; fi": "R",
		"((cd src; ls) 2>&1 | cat)":               "R",
		"((ls; ((pwd; ls) | cat)) | cat)":         "R",
		"((ls ')' \")\" \\) ) ; pwd)":             "R",
		"((1+2)); echo $(((1+2)*3))":              "R",
		"((ls); rm x)":                            "D",
		"((rm x) && ls)":                          "D",
		"echo $((ls); rm x)":                      "D",
		"((a[$(rm x)]))":                          "D",
		"((rm x))":                                "D", // no arithmetic, and no command either
		"((ls); ls":                               "D",
		"((1)) && ((ls) ; rm x)":                  "D",
		"echo '((a) b'; ((ls) ; rm x)":            "D",
	} {
		r := Classify(command, &here)
		if got := levelLetters[r.Level : r.Level+1]; got != want {
			t.Errorf("%q is %s (%s: %s), want %s", command, got, r.Row, r.Reason, want)
		}
		if diff := misreadByUs(command); diff != "" {
			t.Errorf("%q\n%s", command, diff)
		}
	}
}
