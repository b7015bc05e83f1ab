package classify

import "strings"

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
