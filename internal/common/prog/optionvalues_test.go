package prog_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ua/internal/common/prog"
	"ua/internal/test/scripttest"
)

func TestValues(t *testing.T) {
	for args, want := range map[string]string{
		"-n 1": "", "-n 9": "", "-n 0": "-n: bad value \"0\": want a whole number from 1 to 9",
		"-n 10": "-n: bad value \"10\": want a whole number from 1 to 9",
		"-n x":  "-n: bad value \"x\": want a whole number from 1 to 9", "--big 9000000000000": "",
		"--big 99999999999999999999": "--big: bad value \"99999999999999999999\": " +
			"want a whole number from 0 to 9223372036854775807",
		"--big 1.5":  "--big: bad value \"1.5\": want a whole number from 0",
		"--usd 0.01": "",
		"--usd 0":    "--usd: bad value \"0\": want an amount above 0, such as 0.5",
		"--usd NaN":  "--usd: bad value \"NaN\": want an amount above 0, such as 0.5",
		"--usd +Inf": "--usd: bad value \"+Inf\": want an amount above 0, such as 0.5",
		"--wait 2s":  "", "--wait 0s": "--wait: bad value \"0s\": want a duration such as 90s or 10m",
		"--wait 5":   "--wait: bad value \"5\": want a duration such as 90s or 10m",
		"--idle 0":   "",
		"--idle -1s": "--idle: bad value \"-1s\": want 0 or a duration such as 90s or 10m",
		"--word b":   "", "--word d": "--word: bad value \"d\": want a, b or c",
		"--list a --list b": "",
	} {
		var n int
		var big int64
		var usd float64
		var wait, idle time.Duration
		var word string
		var list []string
		fs := prog.Flags()
		prog.Number(fs, &n, "n", 3, 1, 9)
		prog.Number(fs, &big, "big", -1, 0, 0)
		prog.Amount(fs, &usd, "usd", 0)
		prog.Duration(fs, &wait, "wait", time.Second, 0)
		prog.Duration(fs, &idle, "idle", time.Second, prog.OrZero)
		prog.Choice(fs, &word, "word", "", "a", "b", "c")
		prog.List(fs, &list, "list")
		got := ""
		if err := (&prog.Env{}).Parse(fs, strings.Fields(args), ""); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
		if strings.HasPrefix(args, "--list") && strings.Join(list, " ") != "a b" {
			t.Errorf("%s: %q", args, list)
		}
	}
}

// TestPlainMistakes holds the ranges of single options, and that a bad one is said
// before anything else is done.
func TestPlainMistakes(t *testing.T) {
	bin, home := scripttest.Bin(t), t.TempDir()
	for line, want := range map[string]string{
		"ua --at 0 fork last": "--at: bad value \"0\": want a whole number from 1",
		"ua --pids 0 x": "--pids: bad value \"0\": want a whole number from 48 to " +
			"4194304",
		"ua --mem 64M x": "--mem: want a size from 128M, such as 2G",
		"ua --mem 2X x": "--mem: bad value \"2X\": want a size above 0, such as " +
			"512M or 2G",
		"ua --fsize 0 x": "--fsize: bad value \"0\": want a size above 0, such as " +
			"512M or 2G",
		"ua --context-tokens 0 x": "--context-tokens: bad value \"0\": want a whole number " +
			"from 1000",
		"ua --budget-usd 0 x": "--budget-usd: bad value \"0\": want an amount above 0, " +
			"such as 0.5",
		"ua --effort foo x": "--effort: bad value \"foo\": want none, minimal, low, " +
			"medium, high, xhigh or max",
		"ua --isolate box x": "--isolate: bad value \"box\": want worktree or in_process",
		"ua-think --effort foo x": "--effort: bad value \"foo\": want none, minimal, low, " +
			"medium, high, xhigh or max",
		"ua-journal end --exit-code 999": "--exit-code: bad value \"999\": want a whole number from " +
			"0 to 255",
		"ua-sandbox --tier 5 -- true": "--tier: bad value \"5\": want a whole number from 0 to 4",
		"ua-sandbox --pids 9999999 -- true": "--pids: bad value \"9999999\": want a whole number from " +
			"1 to 4194304",
		"ua-exec --output-max 1": "--output-max: bad value \"1\": want a whole number from " +
			"1024",
	} {
		words := strings.Fields(line)
		cmd := exec.Command(filepath.Join(bin, words[0]), words[1:]...)
		cmd.Env, cmd.Dir = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, home
		out, _ := cmd.CombinedOutput()
		if want = words[0] + ": " + want + "\n"; string(out) != want {
			t.Errorf("%s: %q, want %q", line, out, want)
		}
	}
}

// An option in --help whose value is a number, a size, a time or a sum, and one that takes
// any value; "=DIR" in brackets may be left out.
var (
	measured = regexp.MustCompile(
		`(?m)^ +(?:-\w, )?(--?[a-z-]+) +(?:N|X|D|TIME|TOKENS|BYTES|SIZE|AGE)\b`)
	takesValue = regexp.MustCompile(`(?m)^ +(?:-\w, )?(--?[a-z-]+) +[A-Z]+\b`)
)

// TestEveryNumber walks all options of all programs that take a number: what is none
// is refused before anything is done, by the option's name and with what it wants.
func TestEveryNumber(t *testing.T) {
	refused(t, measured, 40, "want ", "x", "", "-1", "1e999")
}

// TestEmptyValue walks all options of all programs that take a value: an empty one, of a
// variable that is not set, is refused before anything is done.
func TestEmptyValue(t *testing.T) {
	refused(t, takesValue, 110, "", "")
}

// refused fails the test for each option that fits the pattern and takes one of the values,
// or refuses it in other words than why.
func refused(t *testing.T, options *regexp.Regexp, least int, why string, values ...string) {
	bin, home := scripttest.Bin(t), t.TempDir()
	verbs := map[string][]string{
		"ua":       {"", "log", "wait", "stop", "job ls", "job start", "ps"},
		"ua-think": {"", "serve"}, "ua-try": {""}, "ua-mcp": {"", "host"},
		"ua-gate": {"", "check", "hook"},
		"ua-journal": {"append", "new", "end", "read", "tail", "grep", "verify", "prune --older 1d",
			"prune", "redact", "calls", "trajectories", "import", "export",
			"ship --to x", "ship"},
	}
	built, err := os.ReadDir(bin)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, p := range built {
		help, err := exec.Command(filepath.Join(bin, p.Name()), "--help").Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range options.FindAllStringSubmatch(string(help), -1) {
			seen++
			for _, value := range values {
				tried := verbs[p.Name()]
				if len(tried) == 0 {
					tried = []string{""}
				}
				known := false
				for _, verb := range tried {
					cmd := exec.Command(filepath.Join(bin, p.Name()),
						append(strings.Fields(verb), m[1], value)...)
					cmd.Env, cmd.Dir = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, home
					out, _ := cmd.CombinedOutput()
					if strings.Contains(string(out), "unknown option") {
						continue
					}
					known = true
					says := regexp.MustCompile(`(?m)^` + p.Name() + `: ` + m[1] + `: bad value .*: ` + why)
					if status := cmd.ProcessState.ExitCode(); status != 2 && status != 125 || !says.Match(out) {
						t.Errorf("%s %s %s %q: status %d: %s", p.Name(), verb, m[1], value, status, out)
					}
				}
				if !known {
					t.Errorf("%s: nothing takes %s", p.Name(), m[1])
				}
			}
		}
	}
	if seen < least {
		t.Errorf("only %d such options", seen)
	}
	if left, _ := os.ReadDir(home); len(left) > 0 {
		t.Errorf("something was made: %v", left)
	}
}

func TestRepeat(t *testing.T) {
	base := []string{"--quiet"}
	for _, c := range []struct{ values, want []string }{
		{nil, base},
		{[]string{"/a"}, []string{"--quiet", "--read", "/a"}},
		{[]string{"", "--x"}, []string{"--quiet", "--read", "", "--read", "--x"}},
	} {
		if got := prog.Repeat(base, "--read", c.values); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.values, got, c.want)
		}
	}
}
