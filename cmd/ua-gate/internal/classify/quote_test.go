package classify

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/machine"
	"ua/internal/common/verdict"
	"ua/internal/test/scripttest"
)

// quoteContexts are the places of a word, quoteOperators the expansions that it may be the
// word of, and quoteForms the word: "ran N" in quotes that are some for one reader and none
// for another.
var (
	quoteContexts = strings.Split(
		`echo "%s"|echo %s|cat <<E\n%s\nE|echo $((%s))|((%s))|echo ${a[%s]}|`+
			`echo "${a[%s]}"|a[%s]=1|a=([%s]=1)|echo ${y:%s:1}|echo "${y:%s:1}"|echo "${q:-"%s"}"|`+
			`echo ${q:-%s}|cat <<<%s|[[ -n %s ]]|[[ 1 -eq %s ]]|case x in %s) ;; esac|z=%s|`+
			`echo "${y//%s/z}"|echo "${y/a/%s}"|for ((i=%s;i<1;i++)); do :; done|let %s|echo $[%s]|`+
			`echo "$(echo "%s")"|declare -i n=%s|echo >/dev/null"%s"|echo "${y#%s}"|`+
			`local_() { echo "%s"; }; local_|declare -A m; m[%s]=1; echo "${m[%s]}"`, "|")
	quoteOperators = strings.Split(
		`%s x:-%s x-%s x:=%s x=%s x:+%s y:+%s y+%s x:?%s y#%s y##%s y%%%%%s y/%s y//%s `+
			`y/#%s y^%s y,%s y:%s y/a/%s q:-${x:-%s} y//${x:-%s}/z y#${q:-%s} y:-$((%s)) x:-"%s"`, " ")
	quoteForms = []string{
		`'$(ran N)'`, `$'$(ran N)'`, "'`ran N`'", `'a[$(ran N)]'`, `'}"; ran N; echo "'`,
		`'}; ran N; echo '`, `'"; ran N; echo "'`, `']=1; ran N; b['`, `')); ran N; (('`,
		`"'$(ran N)'"`, `\'$(ran N)\'`, `$'}"; ran N; echo "'`, `'"'$(ran N)'"'`, `"'"'$(ran N)'"'"`,
	}
)

// TestQuotesAgainstShells holds that no shell runs a command that the gate has taken for
// quoted text: the shells run what grammars of quotes inside expansions give, and whatever
// ran, the gate has seen or not read. Each time others are chosen; UA_TEST_ALL=1 runs all.
func TestQuotesAgainstShells(t *testing.T) {
	var commands []string
	for _, c := range quoteContexts {
		for _, o := range quoteOperators {
			for _, f := range quoteForms {
				word := strings.ReplaceAll(o, "%s", f)
				if o != "%s" {
					word = "${" + strings.ReplaceAll(word, "%%", "%") + "}"
				}
				commands = append(commands, strings.ReplaceAll(strings.ReplaceAll(c, "%s", word), `\n`, "\n"))
			}
		}
	}
	rand.Shuffle(len(commands), func(i, j int) {
		commands[i], commands[j] = commands[j], commands[i]
	})
	if os.Getenv("UA_TEST_ALL") == "" {
		commands = commands[:2500]
	}
	for _, shell := range []string{"bash", "dash"} {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				scripttest.Skip(t, scripttest.Missing, "no %s", shell)
			}
			var script strings.Builder
			script.WriteString("y=aaa; exec 3>&1 >/dev/null 2>&1 </dev/null; ran() { echo \"$1\" >&3; }\n")
			for i, c := range commands {
				c = strings.ReplaceAll(c, "ran N", "ran "+strconv.Itoa(i))
				fmt.Fprintf(&script, "( eval '%s' )\n", strings.ReplaceAll(c, "'", `'\''`))
			}
			cmd := exec.Command(shell, "/dev/stdin")
			cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=/nonexistent"}
			cmd.Stdin = strings.NewReader(script.String())
			out, err := cmd.Output()
			if len(out) == 0 {
				t.Fatalf("nothing ran: %v", err)
			}
			seen := map[string]bool{}
			for n := range strings.FieldsSeq(string(out)) {
				i, err := strconv.Atoi(n)
				if err != nil || seen[n] {
					continue
				}
				seen[n] = true
				r := Classify(commands[i], &machine.Options{})
				if r.Level < verdict.Destructive {
					t.Errorf("%s runs what the gate takes for quoted: %s (%s)", shell, commands[i], r.Level)
				}
			}
			t.Logf("%d of %d ran", len(seen), len(commands))
		})
	}
}
