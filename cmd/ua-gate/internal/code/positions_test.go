package code

import (
	"strings"
	"testing"
)

// A position is a call, and the lines in which it is run and in which it is not.
type position struct{ call, runs, inert string }

// positions are places in a program's text where a call may stand, by language, with CALL for
// the call and ↵ for a newline: wherever it stands and is run, or may be, it is seen.
var positions = map[string]position{
	"python": {`__import__("os").remove("a")`, `
CALL
x = CALL
x = [CALL]
x = {"k": CALL}
x = (1, CALL)
print(1, CALL)
print(end=CALL)
if CALL: pass
if True: CALL
while CALL: break
for x in [CALL]: pass
[CALL for x in range(3)]
{x: CALL for x in range(3)}
[x for x in range(3) if CALL]
x = lambda: CALL
def f(x=CALL): pass
def f():↵    return CALL
class A:↵    x = CALL
try:↵    CALL↵except Exception: pass
try: pass↵finally: CALL
with open("x") as f: CALL
assert CALL
x = 1 if CALL else 2
x = not CALL
x = 1 + \↵  CALL
print(f"{CALL}")
print(f'{CALL!r:>10}')
print(f"""{↵CALL}""")
print(f"{f'{CALL}'}")
print(f"{f"{CALL}"}")
print(f"{1:{CALL}}")
print(f"{1!r:>{CALL}}")
print(f"{1:'>9} {CALL}")
print(f"{{{CALL}}}")
print(f"{'}'} {CALL}")
print(rf'\{CALL}')
print(f"\{CALL}")
print(f"\\{CALL}")
print(f"{f"\{CALL}"}")
print(f"a" f"{CALL}")
print(t"{CALL}")
print(f"{[x for x in CALL]}")
print(f"{x['"']}" if 0 else CALL)
x = 1; CALL
x = "#"; CALL
x = '''a↵'''; CALL
match 1:↵    case _: CALL
async def f():↵    await CALL
@CALL↵def f(): pass
raise ValueError(CALL)
global x; x = CALL
`, `
# CALL
x = 1 # CALL
print("no # comment") # CALL
`},
	"node": {`require("fs").unlinkSync("a")`, `
CALL
CALL;
let x = CALL
const {a, b} = CALL
const {a: b} = CALL
const {a} = await CALL
const {a} = require("fs").promises.unlink("a")
const {a} = require("fs")["unlinkSync"]("a")
x = [CALL]
x = {k: CALL}
x = {[CALL]: 1}
f = () => CALL
f = function () { return CALL }
(function () { CALL })()
console.log(1, CALL)
if (CALL) {}
if (1) CALL; else {}
for (let i = CALL; i < 3; i++) {}
for (const x of [CALL]) {}
while (CALL) break
do { CALL } while (0)
switch (CALL) { case 1: }
switch (1) { default: CALL }
try { CALL } catch {}
try {} catch (e) { CALL } finally {}
try {} finally { CALL }
class A { x = CALL }
class A { static { CALL } }
x = 1 ? CALL : 2
x = 1 && CALL
x ??= CALL
x = !CALL
x = ` + "`${CALL}`" + `
x = ` + "`a${`b${CALL}`}`" + `
x = "//"; CALL
x = /"/; CALL
x = /[/"]/; CALL
x = /\//; CALL
x = 1 / 2; CALL
/* x */ CALL
async function f() { await CALL }
function* g() { yield CALL }
label: CALL
throw CALL
`, `
// CALL
/* CALL */
x = 1 // CALL
/* a↵CALL↵b */
`},
	"ruby": {`File.delete("a")`, `
CALL
x = CALL
x = [CALL]
x = {k: CALL}
puts CALL
puts 1, CALL
if CALL then 1 end
1 if CALL
CALL unless false
while CALL; break; end
[1].each { CALL }
[1].each { |x| CALL }
[1].each do |x|;CALL;end
def f(x = CALL); end
def f;CALL;end
class A;CALL;end
begin;CALL;rescue;end
begin;1;ensure;CALL;end
x = -> { CALL }
x = true ? CALL : 1
puts "#{CALL}"
puts "a #{"b #{CALL}"}"
puts %Q(#{CALL})
puts <<E↵#{CALL}↵E
x = :a; CALL
x = ?#; CALL
x = ?"; CALL
x = ?'; CALL
x = ?"; CALL; y = ?"
puts ?"; CALL; puts ?"
puts ?#; CALL
x = ?\"; CALL; y = ?\"
x = true ? 1 : CALL
x = "#"; CALL
x = /#{CALL}/
case CALL;when 1;end
BEGIN { CALL }
`, `
# CALL
x = 1 # CALL
`},
	"perl": {`unlink("a")`, `
CALL
CALL;
my $x = CALL;
my @x = (CALL);
my %x = (k => CALL);
print CALL;
print 1, CALL;
if (CALL) { }
1 if CALL;
CALL unless 0;
while (CALL) { last }
for (CALL) { }
map { CALL } 1..3;
grep { CALL } 1..3;
sub f { CALL } f();
my $f = sub { CALL }; $f->();
BEGIN { CALL }
END { CALL }
eval { CALL };
do { CALL };
print "@{[unlink(q(a))]}";
print "${\ unlink(q(a))}";
$_ = "#"; CALL
print $#ARGV; CALL
print $#{$x}; CALL
print $x{"#"}; CALL
y/#/a/; CALL
m{#}; CALL
s/a/CALL/e;
s{a}{CALL}ge;
my $x = 1 ? CALL : 2;
my $x = q(#); CALL
print <<E;↵@{[CALL]}↵E
return CALL;
`, `
# CALL
my $x = 1; # CALL
`},
}

// TestPositions looks for the call in each of them, and for nothing in what is not run.
func TestPositions(t *testing.T) {
	for language, p := range positions {
		for run, lines := range map[bool]string{true: p.runs, false: p.inert} {
			for line := range strings.Lines(strings.TrimSpace(lines)) {
				text := strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "CALL", p.call)
				text = strings.ReplaceAll(text, "↵", "\n")
				acts, whole := Acts(language, text)
				seen := !whole
				for _, a := range acts {
					seen = seen || a.Kind == Delete && len(a.Args) == 1 && strings.Trim(a.Args[0], Hole) <= "a" ||
						a.Kind == Unknown || a.Kind == Shell
				}
				if seen != run || !run && len(acts) > 0 {
					t.Errorf("%s, run: %v: %q: %v, whole: %v", language, run, text, acts, whole)
				}
			}
		}
	}
}
