package classify

import (
	"strings"

	"ua/internal/common/verdict"
)

// readCalculator reads maxima and gp (PARI), which compute: only a few names of theirs, and the
// marks of their command lines, leave the computation.
func readCalculator(a *argv, text string) (verdict.Level, string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, ":") || strings.HasPrefix(line, "\\") ||
			strings.HasPrefix(line, "#") ||
			a.name == "gp" && strings.HasPrefix(line, "?") || strings.HasPrefix(line, "!") {
			return destructive, a.name + " runs a command of its own line: " + show(line)
		}
	}
	if strings.ContainsAny(text, "`") || a.name == "maxima" && strings.ContainsAny(text, "?\\") {
		return destructive, a.name + " runs Lisp or a command"
	}
	if a.name == "maxima" {
		text = sharePackage.replace(text, "")
	}
	// The names in the text are looked at, wherever they stand: calls need no parentheses.
	for name := range strings.FieldsFuncSeq(text, func(c rune) bool {
		return c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9')
	}) {
		if inList(leavesComputing, strings.ToLower(name)) {
			return destructive, a.name + ": " + name + " leaves the computation"
		}
	}
	return readOnly, ""
}

// sharePackage finds where maxima loads a package that comes with it.
var sharePackage = regex{text: `\bload\s*\(\s*"?[a-z_0-9]+"?\s*\)`}

// leavesComputing are the functions of maxima and gp that reach files or programs, or run text.
const leavesComputing = ` system extern externstr install read readstr readvec write write1
 writebin writetex fileopen
 fileread filereadstr filewrite filewrite1 fileextern fileclose alias default getenv plothexport
 psdraw psploth psplothraw eval
 load batch batchload loadfile save stringout writefile appendfile closefile openw openr opena
 openw_binary openr_binary
 with_stdout delete_file rename_file copy_file mkdir rmdir chdir to_lisp eval_string parse_string
 printfile file_output_append
 translate compile compile_file translate_file demo run_testsuite lisp set_plot_option
 gnuplot_command gnuplot_replot write_data
 read_matrix read_list read_array numericalio draw draw2d draw3d plot2d plot3d kill_gnuplot sh
 shell setup_autoload `
