package classify

import (
	"strings"

	"ua/internal/common/verdict"
)

// exiftool writes tags, of which one is the file's name.
func (a *argv) exiftool() {
	for _, o := range a.operands {
		if a.flagged("-overwrite_original", "-r") {
			a.w.overwrites(a.p, o, a.sc)
		}
	}
	for _, wd := range a.words {
		if strings.HasPrefix(strings.ToLower(wd.text), "-tagsfromfile") {
			a.p.raise(write, "exiftool -tagsFromFile", "exiftool writes tags")
		}
		tag, val, set := strings.Cut(wd.text, "=")
		if !set || !strings.HasPrefix(tag, "-") {
			tag, val, set = strings.Cut(wd.text, "<")
		}
		if !set || !strings.HasPrefix(tag, "-") {
			continue
		}
		a.p.raise(write, "exiftool -TAG=", "exiftool writes tags")
		low := strings.ToLower(tag)
		if strings.Contains(low, "filename") || strings.Contains(low, "directory") {
			a.w.write(a.p, lit(val), a.sc)
		}
	}
}

// magick sees the file names by which ImageMagick runs programs and scripts.
func (a *argv) magick() {
	for _, o := range a.operands {
		kind, _, _ := strings.Cut(strings.ToLower(o.text), ":")
		if kind == "msl" || kind == "ephemeral" || kind == "mvg" || kind == "text" || kind == "label" &&
			strings.Contains(o.text, "@") || strings.HasPrefix(o.text, "|") || kind == "url" ||
			kind == "x" {
			a.p.raise(destructive, a.name+" "+kind, "the name "+show(o.text)+" runs a script or a program")
		}
		if kind == "http" || kind == "https" || kind == "ftp" {
			a.p.raise(network, a.name+" URL", a.name+" fetches "+show(o.text))
		}
	}
}

// gs is Ghostscript, whose files may be pipes.
func (a *argv) gs() {
	for _, wd := range a.words {
		if strings.Contains(wd.text, "%pipe%") || strings.Contains(wd.text, "|") {
			a.p.raise(destructive, "gs %pipe%", "gs runs "+show(wd.text))
		}
	}
}

// readYosys reads a script of yosys(1): commands with their words, of which some run programs or
// other scripts, and some name files that are written.
func readYosys(a *argv, text string) (verdict.Level, string) {
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == ';' }) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		verb := words[0]
		if strings.HasPrefix(verb, "!") || inList(" exec tcl script plugin shell ", verb) ||
			inList(" -script -exe ", words[min(1, len(words)-1)]) {
			return destructive, "yosys runs " + show(line)
		}
		for i, w := range words[1:] {
			last := i+2 == len(words) && strings.HasPrefix(verb, "write_")
			if before := words[i]; last || verb == "tee" && (before == "-o" || before == "-a") || before == "-prefix" ||
				before == "-vcd" || verb == "dump" && before == "-o" {
				a.writes(a.name+" "+verb, lit(w))
				a.w.overwrites(a.p, lit(w), a.sc)
			}
		}
	}
	return readOnly, ""
}
