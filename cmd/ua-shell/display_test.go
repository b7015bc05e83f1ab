package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// In a locale of ASCII nothing that is ours needs more, and without colours there are none.
func TestPlainDisplay(t *testing.T) {
	inShells(t, func(t *testing.T, shell string) {
		a := askIn(t, shell, "think: Let me see.\\nMore.\ncall: touch made\n---\ntext: Not made, then.",
			"LC_ALL=C", "TERM=xterm-mono")
		a.send("# make it\r")
		shown := a.expect("[?] help > ")
		a.send("n")
		shown += a.expect("cmds")
		_, shown, _ = strings.Cut(shown, "# Let me see.")
		for _, want := range []string{"> touch made [write]", "! touch makes made", " in "} {
			if !strings.Contains(shown, want) {
				t.Errorf("no %q in %q", want, shown)
			}
		}
		for i, c := range []byte(shown) {
			if c >= 0x80 {
				t.Fatalf("a byte %#x at %.20q in %q", c, shown[i:], shown)
			}
		}
		if strings.Contains(shown, "\x1b[2m") || strings.Contains(shown, "\x1b[3") {
			t.Errorf("colours in %q", shown)
		}
	})
}

// On a narrow terminal and with wide characters lines are whole: they flow on, and nothing
// is left of what was waited with or typed and taken back.
func TestNarrowDisplay(t *testing.T) {
	for columns, asked := range map[string]string{"20": "\n❯ touch 漢字.txt\n│   ▐ write\n",
		"40": "\n❯ touch 漢字.txt ▐ write\n"} {
		t.Run(columns, func(t *testing.T) {
			inShells(t, func(t *testing.T, shell string) {
				p := newPaneOf(t, columns, shell,
					"text: 漢字と仮名が流れる。😀 e\u0301te\u0301.\ncall: touch 漢字.txt\n"+
						"---\ntext: ｏｋ.")
				p.shows("\n$")
				p.keys("# 漢字を作る", "Enter")
				p.shows("/q/?] >")
				p.keys("-l", "漢x😀")
				p.shows("漢x😀")
				p.keys("C-u")
				p.shows("/q/?] >")
				p.keys("n")
				p.shows("s\n$")
				// -J joins what the terminal has wrapped.
				out, _ := p.tmux("capture-pane", "-p", "-J").Output()
				got := strings.Split(strings.TrimRight(string(out), "\n "), "\n")
				for i := range got {
					got[i] = strings.TrimRight(got[i], " ")
				}
				all := strings.Join(got, "\n")
				for _, want := range []string{"$ # 漢字を作る\n",
					"\n漢字と仮名が流れる。😀 e\u0301te\u0301.\n",
					asked, "/q/?] > n\n", "\nｏｋ.\n240↑ 30↓ 0 cmds"} {
					if !strings.Contains(all, want) {
						t.Errorf("no %q in\n%s", want, all)
					}
				}
			})
		})
	}
}

// TestFreshQuestion: no command can leave the terminal so that a question shows another command,
// or its own one behind what was printed: a window of three lines below a command of its own,
// a cursor at other text, letters that are drawn as lines.
func TestFreshQuestion(t *testing.T) {
	for _, left := range []string{
		`\033[H\033[2J\n❯ ls ▐ read_only\r\n\033[3;5r\033[5;1H`, `\033[1;2r\033[2;1H`,
		`❯ ls # `, `\033[4h\033[?6h\033[5;6r\n`, `\033(0\033[8m`, `\033[?69h\033[1;9s\033]0;`,
	} {
		inShells(t, func(t *testing.T, shell string) {
			p := newPane(t, shell, "call: sh ./left\ncall: rm -rf sub\n---\ntext: Done.")
			os.WriteFile(filepath.Join(filepath.Dir(p.server), "work/left"),
				[]byte("printf '"+left+"'\n"), 0o644)
			p.shows("\n$")
			p.keys("# go", "Enter")
			p.shows("[?] help >")
			p.keys("y")
			p.shows("\n❯ rm -rf sub ▐ destructive\n⚠ rm deletes sub\n" +
				"  [y] run [n] skip [a] allow rm for the session\n" +
				"  [e] edit [v] view [q] quit [?] help >")
			p.keys("n")
			p.shows("s\n$")
		})
	}
}
