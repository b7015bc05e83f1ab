package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ua/cmd/ua-shell/internal/mark"
	"ua/internal/test/scripttest"
)

// shells are those that are integrated, each with the file that its user writes.
var shells = []struct{ name, rc string }{
	{"bash", ".bashrc"}, {"zsh", ".zshrc"}, {"fish", ".config/fish/config.fish"},
}

// A setup is a user's start-up file, as frameworks for prompts leave it.
type setup struct{ shell, name, rc string }

// setups hold what starship, powerline, bash-preexec, oh-my-zsh and their like do
// to a shell: the hooks that they take, in their own order.
var setups = []setup{
	{"bash", "plain", ""},
	{"bash", "strict", "set -euo pipefail"},
	{"bash", "two lines and colours", `PS1='\[\e[1;32m\]\u@\h\[\e[0m\]:\w\n$ '`},
	{"bash", "starship-like", `starship_precmd() { local s=$?; PS1="[$s] > "; return $s; }
starship_preexec() { :; }
PS0='$(starship_preexec)'; PROMPT_COMMAND=starship_precmd`},
	{"bash", "an array", `a() { :; }; PROMPT_COMMAND=(a 'history -a' "b=1"); shopt -s histappend`},
	{"bash", "a DEBUG trap", `trap 'last=$BASH_COMMAND' DEBUG`},
	{"bash", "functrace", `set -T; trap ':' DEBUG; trap ':' ERR`},
	{"bash", "vi", "set -o vi"},
	{"bash", "ignore", "HISTCONTROL=ignoreboth:erasedups; HISTIGNORE='ls:# *'; " +
		"HISTTIMEFORMAT='%F %T '"},
	{"bash", "preexec-like", `__pre() { [[ -n ${inside-} || ${READLINE_POINT+x} ]] && return; :; }
__install() {
	PROMPT_COMMAND="__first; ${PROMPT_COMMAND/__install/:}; __last"
	trap '__pre "$_"' DEBUG
}
__first() { local s=$?; inside=1; return $s; }
__last() { inside=; }
PROMPT_COMMAND=__install`},
	{"bash", "no comments", "shopt -u interactive_comments"},
	{"bash", "traced", "set -x"},
	{"bash", "nothing allowed", "readonly PROMPT_DIRTRIM=2; set -o noclobber -o noglob"},
	{"zsh", "plain", ""},
	{"zsh", "strict", "setopt nounset errreturn noclobber; setopt -o pipefail"},
	{"zsh", "hooks", `precmd() { x=1; }
preexec() { y=1; }
autoload -Uz add-zsh-hook
h() { :; }
add-zsh-hook precmd h
zle-line-init() { zle redisplay; }
zle -N zle-line-init
zle-line-finish() { :; }
zle -N zle-line-finish`},
	{"zsh", "ksh arrays", "setopt ksharrays shwordsplit"},
	{"zsh", "vi", "bindkey -v; PS1='%~'$'\\n''%# '; RPS1='%?'; setopt transientrprompt promptsubst"},
	{"zsh", "plugins", `for f in /usr/share/zsh-autosuggestions/zsh-autosuggestions.zsh ` +
		`/usr/share/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh; do
	[[ -r $f ]] && source $f
done`},
	{"zsh", "no bang", `setopt nobanghist interactivecomments
autoload -Uz compinit
compinit -u -D`},
	{"zsh", "transient prompt", `setopt promptsubst; prompt_now() { PROMPT="%~ $? > " RPROMPT=%*; ` +
		`}; autoload -Uz add-zsh-hook; add-zsh-hook precmd prompt_now
zle-line-finish() { PROMPT='> ' RPROMPT= ; zle reset-prompt }; zle -N zle-line-finish`},
	{"zsh", "hook widgets", `autoload -Uz +X add-zle-hook-widget; mine() { :; }; zle -N mine
add-zle-hook-widget line-init mine; add-zle-hook-widget line-finish mine`},
	{"zsh", "wrapped hook widgets", `autoload -Uz +X add-zle-hook-widget; mine() { :; }; zle -N mine
for h in line-init line-finish; do add-zle-hook-widget $h mine; zle -A zle-$h orig-$h; eval ` +
		`"around-$h() { zle orig-$h -- \"\$@\" }; zle -N zle-$h around-$h"; done`},
	{"zsh", "wrapped widgets", `for w in accept-line self-insert; do eval "my-$w() { zle .$w }; ` +
		`zle -N $w my-$w"; done; TRAPWINCH() { :; }; TMOUT=3600`},
	{"fish", "plain", ""},
	{"fish", "prompt", "function fish_prompt; printf 'p %s> ' $status; end; function " +
		"fish_right_prompt; date; end"},
	{"fish", "events", "function pre --on-event fish_preexec; set -g x $argv; end; function post " +
		"--on-event fish_postexec; set -g y 1; end; set -g fish_greeting"},
	{"fish", "vi", "fish_vi_key_bindings"},
	{"bash", "debian powerline", "[ ! -r /usr/share/powerline/bindings/bash/powerline.sh ] || " +
		". /usr/share/powerline/bindings/bash/powerline.sh"},
	{"bash", "debian liquidprompt", "[ ! -r /usr/share/liquidprompt/liquidprompt ] || " +
		". /usr/share/liquidprompt/liquidprompt"},
	{"bash", "debian tools", `for f in /usr/share/bash-completion/bash_completion ` +
		`/usr/share/doc/fzf/examples/key-bindings.bash; do [ ! -r $f ] || . $f; done
! command -v direnv >/dev/null || eval "$(direnv hook bash)"; ! command -v zoxide >/dev/null ` +
		`|| eval "$(zoxide init bash)"`},
	{"zsh", "debian powerline", "[ ! -r /usr/share/powerline/bindings/zsh/powerline.zsh ] || " +
		". /usr/share/powerline/bindings/zsh/powerline.zsh"},
	{"zsh", "debian powerlevel9k", "[ ! -r /usr/share/powerlevel9k/powerlevel9k.zsh-theme ] || " +
		". /usr/share/powerlevel9k/powerlevel9k.zsh-theme"},
	{"zsh", "debian tools", `for f in completion key-bindings; do ` +
		`f=/usr/share/doc/fzf/examples/$f.zsh; [ ! -r $f ] || . $f; done
! command -v direnv >/dev/null || eval "$(direnv hook zsh)"; ! command -v zoxide >/dev/null || ` +
		`eval "$(zoxide init zsh)"`},
	{"bash", "debian undistract-me", "[ ! -r /etc/profile.d/undistract-me.sh ] || " +
		"{ . /etc/profile.d/undistract-me.sh; notify_when_long_running_commands_finish_install; }"},
	{"zsh", "debian antigen", "[ ! -r /usr/share/zsh-antigen/antigen.zsh ] || " +
		"{ . /usr/share/zsh-antigen/antigen.zsh; antigen apply; }"},
	{"fish", "debian tools", `functions -q fzf_key_bindings; and fzf_key_bindings
command -sq direnv; and direnv hook fish | source
command -sq zoxide; and zoxide init fish | source`},
}

// need skips the test where the setup's shell or what it sources is not installed.
func (s setup) need(t *testing.T) {
	t.Helper()
	scripttest.Need(t, s.shell)
	for name, path := range map[string]string{"powerline": "/usr/share/powerline",
		"powerlevel9k": "/usr/share/powerlevel9k", "liquidprompt": "/usr/share/liquidprompt",
		"undistract-me": "/usr/share/undistract-me",
		"antigen":       "/usr/share/zsh-antigen",
		"tools":         "/usr/share/doc/fzf/examples"} {
		if _, err := os.Stat(path); s.name == "debian "+name && err != nil {
			scripttest.Skip(t, scripttest.Elsewhere, "%s is not there", path)
		}
	}
}

// write writes the start-up file.
func (s setup) write(home string) {
	for _, sh := range shells {
		if sh.name == s.shell {
			os.MkdirAll(filepath.Dir(filepath.Join(home, sh.rc)), 0o755)
			os.WriteFile(filepath.Join(home, sh.rc), []byte(s.rc+"\n"), 0o644)
		}
	}
}

// start starts the shell with the setup, and returns the console and the file of
// events.
func (s setup) start(t *testing.T, options ...string) (*console, string) {
	t.Helper()
	s.need(t)
	home := t.TempDir()
	s.write(home)
	log := filepath.Join(home, "osc")
	c := openIn(t, home, nil, append([]string{"--shell", s.shell, "--debug-osc", log}, options...)...)
	return c, log
}

// marks is the log as it stands.
func marks(t *testing.T, log string) string {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}

// marked waits until the log has n marks of the letter.
func (c *console) marked(log, letter string, n int) {
	c.t.Helper()
	c.until(fmt.Sprintf("%d marks %s", n, letter), func() bool {
		return strings.Count(marks(c.t, log), " ua "+letter+" ") >= n
	})
}

// statuses is the exit statuses that the D marks tell.
func statuses(t *testing.T, log string) (list []string) {
	mark := regexp.MustCompile(` ua D "\w+;(\d+);`)
	for _, m := range mark.FindAllStringSubmatch(marks(t, log), -1) {
		list = append(list, m[1])
	}
	return list
}

// instructions is the lines that begin with # and that the E marks tell.
func instructions(t *testing.T, log string) (list []string) {
	for _, m := range regexp.MustCompile(` ua [EL] (".*")`).FindAllStringSubmatch(marks(t, log), -1) {
		body, err := strconv.Unquote(m[1])
		if err != nil {
			t.Fatal(err)
		}
		_, line, _ := strings.Cut(body, ";")
		if line = mark.Unquote(line); strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}

// In every setup each command has its marks and its status, a # line is taken,
// whole and once, and what is no line at the prompt is not.
func TestMarks(t *testing.T) {
	for _, s := range setups {
		t.Run(s.shell+" "+s.name, func(t *testing.T) {
			t.Parallel()
			c, log := s.start(t)
			c.marked(log, "P", 1)
			prompts := 1
			enter := func(line string) {
				t.Helper()
				prompts++
				c.send(line + "\r")
				c.marked(log, "P", prompts)
			}
			enter("echo one=1")
			c.expect("one=1")
			enter("true")
			if s.name != "strict" { // there it ends the shell
				enter("sh -c 'exit 42'")
				if got := statuses(t, log); got[len(got)-1] != "42" {
					t.Errorf("statuses %v", got)
				}
			}
			enter(`# what's "wrong (here`)
			c.until("one instruction", func() bool { return len(instructions(t, log)) == 1 })
			enter(" # a space")
			if s.shell != "fish" {
				enter("cat <<X\r# in it\rX")
			}
			enter("\x1b[200~# one\ntouch two\n#three (\x1b[201~")
			list := instructions(t, log)
			if len(list) != 2 || !strings.Contains(list[1], "touch") {
				t.Errorf("taken: %q\n%s", list, marks(t, log))
			}
			if _, err := os.Stat(filepath.Join(c.work, "two")); err == nil {
				t.Error("a line of an instruction was run")
			}
			c.send("exit\r")
			c.status()
			if left, _ := filepath.Glob(c.dir + "/ua-shell-*"); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// In every setup a command is typed as it was approved, and its output comes back:
// several lines, a tab, quotes, what completion or history would change.
func TestTypedCommands(t *testing.T) {
	for _, s := range setups {
		t.Run(s.shell+" "+s.name, func(t *testing.T) {
			t.Parallel()
			answers := `tool: shell {"command":"echo 'é \"x\"\n\t  two' '$HOME' 'a!b' '#c' 'gi'"}` +
				"\n---\ncall: cat no-such-file\n---\ntext: Well."
			if s.name == "strict" {
				answers = strings.Replace(answers, "no-such-file", "/dev/null", 1)
			}
			a := askWithRC(t, s, answers)
			a.send("# type it\r")
			for range 1 + strings.Count("fish", s.shell) {
				a.until("question or end", func() bool {
					return strings.Contains(a.text(), "Well.") ||
						strings.Count(a.text(), "[?] help >") > len(a.journal("answer"))
				})
				if !strings.Contains(a.text(), "Well.") {
					a.send("y")
				}
			}
			a.end()
			r := a.journal("tool_result")
			if len(r) != 2 {
				t.Fatalf("results %v\n%q", r, a.text())
			}
			got, want := r[0].Get("output").Str, "é \"x\"\n\t  two $HOME a!b #c gi\n"
			if !strings.Contains(strings.ReplaceAll(got, "        ", "\t"), want) ||
				r[0].Get("exit_code").Int() != 0 {
				t.Errorf("%q, want %q", got, want)
			}
			if got := r[1].Get("exit_code").Int(); got != 1 && s.name != "strict" {
				t.Errorf("status %d of cat", got)
			}
		})
	}
}

// Where Enter can't be bound, the history tells the # line.
func TestOldPreexec(t *testing.T) {
	s := setup{"bash", "old preexec",
		"bash_preexec_imported=defined; __bp_preexec_invoke_exec() { :; }; HISTTIMEFORMAT='%F '"}
	a := askWithRC(t, s, "call: echo typed\n---\ntext: First.\n---\ntext: Second.")
	a.line("echo '# no'")
	a.line(" # no")
	if out := a.turn("# hello"); !strings.Contains(out, "First.") || !strings.Contains(out, "typed") {
		t.Errorf("%q", out)
	}
	a.line("true")
	if out := a.turn("# and you?"); !strings.Contains(out, "Second.") {
		t.Errorf("%q", out)
	}
	if n := len(a.journal("instruction")); n != 2 {
		t.Errorf("%d instructions", n)
	}
}
