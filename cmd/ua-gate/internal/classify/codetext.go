package classify

import (
	"regexp"
	"sync"
)

// codeMarks find in a text of any language what its calls do not show.
type codeMarks struct {
	// loads of code by the name of its file or its address, and the lists of folders in which
	// languages look for modules
	file, url, search, path *regexp.Regexp
}

var marks = sync.OnceValue(func() *codeMarks {
	return &codeMarks{
		file: regexp.MustCompile(`(?:^|[^.\w])(?:require|import|load|dofile|loadfile|include|include_once|` +
			`require_once|source|do|use lib|addsitedir|run_path|libPaths|require_file|SourceFileLoader|CDLL|` +
			`dlopen|lib\.loc\s*=)[\s(,]*(?:qw\W\s*|\[)?["']?([~/][^"')\s;]+)`),
		url: regexp.MustCompile(`(?:^|[^.\w])(?:import|importScripts|source|from|eval)\s*\(?\s*["']https?://`),
		search: regexp.MustCompile(`sys\.(?:path|meta_path)|@INC\b|\$LOAD_PATH|\$:|module\.paths|include_path|` +
			`package\.c?path|\bLOAD_PATH|DEPOT_PATH|Code\.(?:pre|ap)pend_path|load-path|\buse lib\b`),
		path: regexp.MustCompile(`["']([~/][^"']+)["']`),
	}
})

// loadsFrom is the rule for code that takes more code from outside the workspace, or says
// where modules are found.
func (a *argv) loadsFrom(label, text string) {
	m := marks()
	places := m.file.FindAllStringSubmatch(text, -1)
	if m.search.MatchString(text) {
		places = append(places, m.path.FindAllStringSubmatch(text, -1)...)
	}
	for _, place := range places {
		if a.w.foreignPlace(place[1], a.sc) {
			a.p.raise(destructive, label, a.name+" runs code from "+show(place[1]))
		}
	}
	if m.url.MatchString(text) {
		a.p.raise(network, label, a.name+" fetches code and runs it")
	}
}
