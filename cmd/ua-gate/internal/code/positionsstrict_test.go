package code

// strictPositions are those of languages of which only what is known to be harmless passes.
var strictPositions = map[string]position{
	"erlang": {`file:delete("a")`, `
CALL.
X = CALL.
X = [CALL].
X = {ok, CALL}.
X = #{k => CALL}.
io:format("~p", [CALL]).
case CALL of _ -> ok end.
case 1 of _ -> CALL end.
if true -> CALL end.
begin CALL end.
F = fun() -> CALL end, F().
[CALL || _ <- lists:seq(1, 3)].
lists:foreach(fun(_) -> CALL end, [1]).
try CALL catch _:_ -> ok end.
try 1 after CALL end.
X = "%", CALL.
X = $%, CALL.
X = $", CALL.
X = $\", CALL.
X = [$', CALL].
X = "\"%", CALL.
X = 1, CALL.
catch CALL.
spawn(fun() -> CALL end).
apply(file, delete, ["a"]).
M = file, M:delete("a").
`, `
% CALL.
X = 1. % CALL.
`},
	"lisp": {`(delete-file "a")`, `
CALL
(print CALL)
(let ((x CALL)) x)
(let* ((x 1) (y CALL)) y)
(if CALL 1 2)
(when t CALL)
(unless nil CALL)
(cond (CALL 1))
(cond (t CALL))
(progn 1 CALL)
(lambda () CALL)
((lambda (x) CALL) 1)
(defun f () CALL)
(mapcar (lambda (x) CALL) '(1))
(mapcar #'delete-file '("a"))
(funcall 'delete-file "a")
(apply #'delete-file '("a"))
(loop for x in '(1) do CALL)
(dolist (x '(1)) CALL)
(handler-case CALL (error () nil))
(unwind-protect 1 CALL)
` + "`(1 ,CALL)" + `
(print ";") CALL
(print "\"") CALL
(eval '(delete-file "a"))
(princ (list #\; CALL))
(princ (list #\" CALL))
#.CALL
`, `
; CALL
(print 1) ; CALL
#| CALL |#
`},
	"emacs": {`(delete-file "a")`, `
CALL
(message "%s" CALL)
(let ((x CALL)) x)
(if CALL 1)
(when t CALL)
(progn CALL)
(defun f () CALL)
(mapc 'delete-file '("a"))
(mapc #'delete-file '("a"))
(funcall (intern "delete-file") "a")
(condition-case nil CALL (error nil))
(unwind-protect 1 CALL)
(message ";") CALL
(message "%c" ?\;) CALL
(message "%c" ?") CALL
(eval (read "(delete-file \"a\")"))
(add-hook 'kill-emacs-hook (lambda () CALL))
`, `
; CALL
;; CALL
(message "x") ; CALL
`},
	"tcl": {`file delete a`, `
CALL
set x [CALL]
puts [CALL]
puts "[CALL]"
puts "a [puts "b [CALL]"]"
if 1 {CALL}
if {[CALL]} {puts 1}
if 0 {puts 1} else {CALL}
while 1 {CALL; break}
for {set i 0} {$i < 3} {incr i} {CALL}
foreach x {1 2} {CALL}
proc f {} {CALL}↵f
catch {CALL}
eval {CALL}
eval "CALL"
set x 1; CALL
set x "#"; CALL
set x #; CALL
set x {a b}; CALL
expr {[CALL]}
switch 1 {default {CALL}}
set f file; $f delete a
after 0 {CALL}
try {CALL} finally {puts 1}
uplevel 1 {CALL}
`, `
`},
	"octave": {`delete("a")`, `
CALL
x = CALL;
x = [CALL];
x = {CALL};
disp(CALL)
if CALL, end
if true, CALL, end
for i = CALL, end
while CALL, break, end
f = @() CALL; f()
f = @(x) CALL;
cellfun(@(x) CALL, {1})
cellfun(@delete, {"a"})
feval("delete", "a")
eval('CALL')
try, CALL, catch, end
switch CALL, end
x = "%"; CALL
x = '%'; CALL
x = [1 2]'; CALL
x = a'; CALL
unwind_protect, CALL, end_unwind_protect, end
delete a
function f()↵CALL↵end
`, `
% CALL
# CALL
x = 1; % CALL
`},
	"haskell": {`System.Directory.removeFile "a"`, `
main = CALL
main = do↵  CALL
main = do { CALL }
main = CALL >> return ()
main = return () >> CALL
main = do↵  x <- CALL↵  print x
main = mapM_ (\x -> CALL) [1]
main = mapM_ System.Directory.removeFile ["a"]
main = let x = CALL in x
main = f where f = CALL
main = if True then CALL else return ()
main = case 1 of { _ -> CALL }
main = print "--" >> CALL
main = print '"' >> CALL
main = print $ System.IO.Unsafe.unsafePerformIO (CALL)
main = putStrLn "{-" >> CALL
`, `
{- CALL -}
`},
	"ocaml": {`Sys.remove "a"`, `
CALL
let () = CALL
let x = CALL
let f () = CALL
let _ = print_endline "x"; CALL
let () = if true then CALL
let () = List.iter (fun x -> CALL) [1]
let () = List.iter Sys.remove ["a"]
let () = match 1 with _ -> CALL
let () = try CALL with _ -> ()
let () = begin CALL end
let () = for i = 1 to 3 do CALL done
let () = print_string "(*"; CALL
let () = print_char '"'; CALL
let x = lazy (CALL)
open Sys let () = remove "a"
let r = Sys.remove let () = r "a"
`, `
`},
	"prolog": {`delete_file(a)`, `
:- CALL.
main :- CALL.
:- X = 1, CALL.
:- CALL ; true.
:- \+ CALL.
:- ( true -> CALL ; true ).
:- forall(member(X, [1]), CALL).
:- call(CALL).
:- call(delete_file, a).
:- maplist(delete_file, [a]).
:- catch(CALL, _, true).
:- findall(X, CALL, _).
:- write('%'), CALL.
:- write("%"), CALL.
:- X = 0'%, CALL.
:- G = CALL, G.
:- X =.. [delete_file, a], X.
:- initialization(CALL).
`, `
% CALL.
/* CALL. */
:- true. % CALL
`},
	"groovy": {`new File("a").delete()`, `
CALL
def x = CALL
def x = [CALL]
def x = [k: CALL]
println CALL
println(CALL)
if (CALL) {}
if (true) { CALL }
while (CALL) { break }
[1].each { CALL }
def f() { CALL }
def f = { -> CALL }; f()
try { CALL } catch (e) {}
try {} finally { CALL }
println "${CALL}"
println "a ${"b ${CALL}"}"
println """${CALL}"""
def x = true ? CALL : 1
def x = "//"; CALL
def x = '/*'; CALL
switch (CALL) { default: break }
assert CALL
["a"].each { new File(it).delete() }
`, `
// CALL
/* CALL */
println 1 // CALL
`},
	"kotlin": {`java.io.File("a").delete()`, `
CALL
val x = CALL
val x = listOf(CALL)
println(CALL)
if (CALL) {}
if (true) CALL
while (CALL) { break }
listOf(1).forEach { CALL }
fun f() { CALL }
fun f() = CALL
val f = { CALL }
try { CALL } catch (e: Exception) {}
try { } finally { CALL }
println("${CALL}")
println("a ${"b ${CALL}"}")
println("""${CALL}""")
when (CALL) { else -> 1 }
when (1) { else -> CALL }
val x by lazy { CALL }
val x = "//"; CALL
val c = '"'; CALL
java.io.File("a").run { delete() }
java.io.File("a").apply(java.io.File::delete)
`, `
// CALL
/* CALL */
println(1) // CALL
`},
	"swift": {`FileManager.default.removeItem(atPath: "a")`, `
try CALL
let x = try? CALL
print(try! CALL)
if true { try! CALL }
func f() { try? CALL }
let f = { try! CALL }
[1].forEach { _ in try! CALL }
do { try CALL } catch {}
defer { try! CALL }
print("\(try! CALL)")
let x = "//"; try! CALL
let x = [try? CALL]
switch 1 { default: try! CALL }
let m = FileManager.default; try! m.removeItem(atPath: "a")
`, `
// CALL
/* CALL */
print(1) // CALL
`},
}
