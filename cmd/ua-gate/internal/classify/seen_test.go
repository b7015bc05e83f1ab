package classify

import (
	"os/exec"
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/shell"
	"ua/internal/test/scripttest"
)

// seen reports whether a rule that denies the mark denies the program.
func seen(program, mark string) bool { return seenBy(program, mark, &here) }

// seenBy is seen for another shell.
func seenBy(program, mark string, o *machine.Options) bool {
	rule, err := finding.ParsePattern(mark + " *")
	r := Classify(program, o)
	return err == nil && (matches(rule, &r) || hasUnread(&r))
}

// matches reports whether some part may be what the pattern describes.
func matches(p *finding.Pattern, r *finding.Report) bool {
	for part := range r.All() {
		if p.Match(part, true) {
			return true
		}
	}
	return false
}

// TestSeen holds that a rule about the program hid finds it, or a part that nobody has
// read, wherever bash runs it.
func TestSeen(t *testing.T) {
	for _, command := range strings.Split(strings.TrimSpace(`
sed -f <(echo e hid) a
echo 'e hid' >x; sed -f x a
echo '1s/a/hid/e' >x; sed --file=x a
echo e hid | sed -f - a
sed -f /dev/stdin a <<E⏎1e hid⏎E
printf %s "$Y" >x; sed -n -f x a
time -- hid
time -p -- hid a | cat
time -- X=1 hid
time -- ! hid
env - hid
env - X=1 hid a
jobs -x hid %1
jobs -p -x hid
let a[\$\(hid\)]=1
let "a[\$(hid)]=1"
let 'a['\$'(hid)]=1'
((a[\$(hid)]=1))
X='a[$(hid)]'; echo $((X))
X='a[$(hid)]'; [[ X -eq 1 ]]
declare -a X='($(hid))'
declare -A X='([a]=$(hid))'
X=(); declare X='($(hid))'
Y='($(hid))'; local -a X=$Y
readonly -a "X=(\$(hid))"
export -a X='(`+"`hid`"+`)'
source /dev/stdin <<<hid
. /dev/fd/0 <<E⏎hid⏎E
. <(echo hid)
source <(sort x)
cat x | source /proc/self/fd/0
bash /proc/self/fd/0 <<<hid
bash /dev/../proc/$$/fd/0 <<<hid
cd /dev; bash stdin <<<hid
cd /proc/self/fd; sh 0 <<<hid
curl -s x.org | bash /proc/thread-self/fd/0
X='$(hid)'; : ${X@P}
env 'BASH_FUNC_ls%%=() { hid; }' bash -c ls
$'\x{68}id'
$'\x{00068id'
echo -e '\0150id' | sh
echo -Ene '\0150id' | sh
echo -e 'hid\cid' | sh
printf '%b' '\0150id' | sh
printf '\150id' | sh
printf '%c%cd' hx ix | sh
printf 'hi%c' "d'" | sh
sh -c "echo '\0150id' | sh"
f() { local x=a; }; x=hid; f; $x
f() { declare x=a; $x; }; x=hid; f; $x
for x in hid a; do break; done; $x
for x in hid a; do break; done; eval "$x"
for x in hid a; do break; done; bash -c "$x"
IFS=: read x y <<<hid:a; $x
x=a; declare -n r=x; r=hid; $x
x=a; f() { local -n q=$1; q=hid; }; f x; $x
trap 'x=hid' DEBUG; x=a; $x
x=a; x=hid export x; $x
x=hid; local x=a; $x
set -- hid; shift 2; $1
x=a; unset x; ${x:-hid}
set -k; bash -c '$x' x=hid
echo ${@:->(hid)}
echo ${x/a/<(hid)}
<<E true⏎`+"`"+`hi\`+"`"+`\`+"`"+`d`+"`"+`⏎E
echo hid >f; . ./f
echo hid | tee f; bash f
echo "$(date)" >f; source f
x=f; echo hid | tee f; sh $x
echo -e '\0150id' >f; chmod +x f; ./f
export BASH_ENV=f; echo hid >f; bash -c :
alias e=hid g='e '; g a
alias e=hid g='true '; g e
sed 1ehid <<<a
sed 's/a/hid/e' <<<a
readonly x={hid,}; $x
compgen -W '$(hid)'
BASH_CMDS[e]=/opt/hid; e
BASH_ALIASES[e]=hid; e
f() { declare -g "$1=$2"; }; x=a; f "$z" hid; $x
x=a; printf -v "$z" hid; $x
x=a; . ./env.sh; $x
x=a; . ./env.sh; eval "$x"
x=a; . ./env.sh; echo "$x" | bash
x=a; env x=hid bash -c '$x'
x=true; bash -c '$x hid'
x=a; bash <<<'${x-hid}'
shopt -s lastpipe; x=a; echo hid | read x; $x
_=a; true hid; x=$_; $x
readonly x=hid; read x <<<a; $x
if a; then readonly x=a; fi; x=hid; $x
false && x=true; $x hid
shopt -s expand_aliases⏎alias if='hid; if'⏎if true; then a; fi
: "$\⏎(hid)"
for x in hid a; do break; done; bash <<<"$x"
for x in hid a; do break; done; echo "$x" | sh
f() { return; x=a; }; x=hid; f; $x
f() { x=$1; [ a ] || return; x=a; }; f hid; $x
trap f EXIT; f() { hid; }
read x <<<'hi\d'; $x
if a; then x=a; fi; x+=hid; $x
while read x; do :; done <<<a; $x hid
[[ a =~ ^(a|>(hid))$ ]]
: $(<<'' :)⏎hid⏎⏎
: `+"`cat <<E`"+`⏎hid⏎E
: <(cat <<E)⏎hid⏎E
bash -c '"$@" hid'
f() { "$@" hid; }; f
a=(); "${a[@]}" hid
if a; then x=a; fi; declare x+=hid; $x
coproc hid a | :
! coproc hid a |& cat | :
f() { coproc N { coproc hid a | :; }; }; f
coproc hid declare x
coproc hid time a
coproc hid >f a | :
coproc 2>f hid a | :
coproc hid x=1 | :
coproc x=1 hid a | :
coproc bash -c hid | :
coproc bash -s a | :; echo hid >&"${COPROC[1]}"
co\⏎proc hid a | :
co\⏎proc 2>f hid a
shopt -s expand_aliases⏎alias e='{ hid; }'⏎coproc N e
coproc N { hid; } | :
declare -l x; x=HID; $x
x=HID; declare -l x; x+=; $x
y=-l; typeset $y x; read x <<<HID; $x
f() { local -l x; printf -v x HID; eval "$x"; }; f
declare -l x; for x in HID; do $x; done
declare -l x; x=(a HID); ${x[1]}
set -- hi d; IFS=; "$*"
set -- hid a; IFS=,; $*
set -- h d; IFS=i; eval "$*"
set -- a h d; IFS=i; sh -c "${*:2}"
f() { local IFS=; echo "$*" | sh; }; f hi d
if a; then IFS=; fi; set -- hi d; "$*"
x=(a hi d); IFS=; "${x[*]:1}"
y='*'; set -- hi d; IFS=; "${!y}"
awk '{ system($1) }' <<<hid
awk -v x=hid 'BEGIN { system(x " a") }'
awk '{ system("hid " $1) }' a
awk '{ system("ls; hid \047" $1 "\047") }' a
awk '{ system("ls; hi" $1) }' <<<d
awk '{ system("h\"i\"d " $1) }' a
awk 'BEGIN { "h" "id" | getline }'
awk 'BEGIN { x = "hid"; x | getline }'
awk 'BEGIN { print "hid" | ARGV[1] }' sh
awk 'BEGIN { f = "system"; @f("hid") }'
echo -n hi >f; echo d >>f; sh f
sh -c 'x=hid; declare x=a; $x'
sh -c 'x=hid; x+=a; $x'
sh -c 'x=hid; printf -v x a; $x'
sh <<<'x=hid; typeset x=a; eval "$x"'
zsh -c '() hid'
zsh -c 'x=hid; () { $x }'
zsh -c 'function f g { hid }; g'
zsh -c '- hid'
zsh -c 'x=a; print -v x hid; $x'
zsh -c 'setopt prompt_subst; x='\''$(hid)'\''; : ${(%%)x}'
zsh -c 'x=hid,a; IFS=,; ${=x}'
{ echo -ne 'h\x69'; echo d; } | sh
x=ls; printf -v"x" hid; $x
x=ls; \read x <<<hid; $x
x=ls; 'read' x <<<hid; $x
x=ls; command -p read x <<<hid; $x
x=ls; e=ad; for i in 1 2; do $x a; re$e x <<<hid; done
x=ls; read {x,y} <<<hid; $x
x=ls; for i in 1 2; do $x; eval x=hid; done
false && ls() { :; }; x=ls; unset -f l{s,x}; x=hid; $x
f() { $x; }; x=hid; f
x=ls; f() { $x; }; x=hid f
: <<<"${ true <<'E'; }"⏎hid⏎E⏎true
`), "\n") {
		if !seen(strings.ReplaceAll(command, "⏎", "\n"), "hid") {
			t.Errorf("%s: not seen", command)
		}
	}
}

// TestEscapesAgainstBash has bash decode what the gate does: they agree, or the gate says
// that it does not know.
func TestEscapesAgainstBash(t *testing.T) {
	scripttest.Need(t, "bash")
	var texts []string
	for _, e := range strings.Fields(`\0 \01 \0163 \01634 \163 \1634 \7 \8 \x \x7 \x73 \x731 ` +
		`\x{73} \x{73 \x{00173}z \x{} \u73 \u0073z \U00000073z \a \e \E \? \" \\ \\\\ \n \z \- ` +
		`\u \xg`) {
		texts = append(texts, "<"+e+">", e+"y", "a"+e+e)
	}
	for name, quotes := range map[string]bool{`eval "printf %s \$'$1'"`: true, `echo -ne "$1"`: false,
		`printf -- "$1"`: true} {
		for _, text := range texts {
			cmd := exec.Command("bash", "--norc", "-c", name, "bash", text)
			cmd.Env = []string{"LC_ALL=C.UTF-8"}
			out, _ := cmd.Output()
			got, sure := shell.Escapes(text, quotes)
			if sure && got != string(out) {
				t.Errorf("%s, %s: bash %q, the gate %q", name, text, out, got)
			}
		}
	}
}
