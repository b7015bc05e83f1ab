package classify

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"ua/cmd/ua-gate/internal/code"
)

// readsSource reports whether a file of source only computes, and whether the gate can tell that
// of its language.
func readsSource(file, text string) (calm, known bool) {
	if path.Base(file) == "CMakeLists.txt" {
		return onlyBuilds(text), true
	}
	end := path.Ext(file)
	if end == ".go" {
		return onlyComputes(text), true
	}
	if words := leavesBy[end]; words != nil {
		return !leaves(words, end, text), true
	}
	return false, false
}

// onlyComputes reports whether a file of Go imports nothing of the language by which it could
// leave the computation, but to read files and to write some in the workspace. What it imports
// of the project runs in the project's own tests, too.
func onlyComputes(text string) bool {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil || strings.Contains(strings.ReplaceAll(text, "//go:build ", ""), "//go:") {
		return false
	}
	writes := false
	for _, imported := range file.Imports {
		name, err := strconv.Unquote(imported.Path.Value)
		first, _, _ := strings.Cut(name, "/")
		switch {
		case err != nil:
			return false
		case name == "os" || name == "net/http":
			if imported.Name != nil {
				return false
			}
			writes = true
		// Not of the language: the project's own, or a dependency that its build has
		// anyway.
		case strings.Contains(first, ".") && !strings.HasPrefix(name, "."), !inList(goLibrary, first):
		case !inList(computingImports, name):
			return false
		}
	}
	calm := true
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			of, _ := s.X.(*ast.Ident)
			calm = calm && (of == nil || of.Name != "os" && of.Name != "http" ||
				inList(calmMembers, of.Name+"."+s.Sel.Name))
		}
		return calm
	})
	return calm && !(writes && leavesProject.match(text))
}

// importsOf returns the paths that a file of Go imports.
func importsOf(text string) (paths []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
	if err != nil {
		return []string{""}
	}
	for _, imported := range file.Imports {
		name, _ := strconv.Unquote(imported.Path.Value)
		paths = append(paths, name)
	}
	return paths
}

// leavesProject finds the texts by which a file outside the workspace is named.
var leavesProject = regex{text: "[\"`](?:/|~|\\.\\./\\.\\.)|https?:|getenv|Home|Config"}

// calmMembers are those of package os and net/http that read, or write into the folder of a test.
const calmMembers = " os.ReadFile os.Open os.Getwd os.Args os.Exit os.Stat os.Lstat " +
	"os.IsNotExist os.IsExist os.ErrNotExist " +
	"os.Stdout os.Stderr os.Stdin os.DirFS os.ReadDir os.File os.FileMode os.FileInfo os.DirEntry " +
	"os.PathError " +
	"os.WriteFile os.MkdirAll os.Mkdir os.MkdirTemp os.CreateTemp os.TempDir os.Create os.Getpid " +
	"os.ModePerm os.ErrExist " +
	"http.Handler http.HandlerFunc http.ResponseWriter http.Request http.NewRequest " +
	"http.StatusText http.Header " +
	"http.Error http.NotFound http.NewServeMux http.ServeMux http.MethodGet http.MethodPost " +
	"http.MethodPut " +
	"http.MethodDelete http.MethodPatch http.NoBody http.Cookie http.SetCookie http.Response " +
	"http.StatusOK http.StatusCreated " +
	"http.StatusNoContent http.StatusBadRequest http.StatusUnauthorized http.StatusForbidden " +
	"http.StatusNotFound " +
	"http.StatusMethodNotAllowed http.StatusConflict http.StatusInternalServerError " +
	"http.StatusTeapot http.StatusFound " +
	"http.StatusTooManyRequests http.Redirect "

// goLibrary are the first elements of the paths of Go's own packages.
const goLibrary = " archive bufio builtin bytes cmp compress container context crypto database " +
	"debug embed encoding errors " +
	"expvar flag fmt go hash html image index internal io iter log maps math mime net os path " +
	"plugin reflect regexp " +
	"runtime slices sort strconv strings structs sync syscall testing text time unicode unique " +
	"unsafe weak vendor cmd C arena simd "

// computingImports are packages of Go that only compute, or print.
const computingImports = " testing fmt strings strconv errors sort math math/rand math/big " +
	"math/bits math/cmplx " +
	"bytes time reflect regexp unicode unicode/utf8 unicode/utf16 encoding/json encoding/hex " +
	"encoding/base64 " +
	"encoding/binary encoding/csv encoding/xml container/heap container/list container/ring slices " +
	"maps cmp iter sync " +
	"sync/atomic context log log/slog io io/fs bufio path path/filepath hash hash/fnv hash/crc32 " +
	"crypto/sha256 crypto/md5 " +
	"crypto/sha1 crypto/rand text/tabwriter text/template html html/template math/rand/v2 " +
	"testing/quick testing/fstest " +
	"encoding/gob encoding/base32 encoding/pem compress/gzip compress/zlib compress/flate " +
	"hash/adler32 hash/crc64 hash/maphash crypto/sha512 crypto/hmac crypto/aes crypto/cipher " +
	"crypto/subtle index/suffixarray go/ast go/parser go/token go/format text/scanner " +
	"image image/color image/draw image/png image/jpeg image/gif " +
	"testing/iotest testing/synctest runtime net/http/httptest net/url net/netip unique flag "

// onlyBuilds reports whether a file for CMake has only commands that say what is built.
func onlyBuilds(text string) bool {
	if strings.Contains(text, "[[") || strings.Contains(text, "[=") ||
		strings.Contains(text, "ENV{") ||
		strings.Contains(text, "#[") || cmakeTools.match(text) {
		return false
	}
	calls := cmakeCall.all(text)
	return len(calls) > 0 && !slices.ContainsFunc(calls, func(m []string) bool {
		return !inList(cmakeCommands, strings.ToLower(m[1]))
	})
}

var (
	cmakeCall  = regex{text: `([A-Za-z_]\w*)\s*\(`}
	cmakeTools = regex{text: `(?i)LAUNCHER|_COMPILER\b|_LINKER\b|_WRAPPER|TOOLCHAIN|MODULE_PATH|` +
		`_PROGRAM\b|RULE_|COMMAND|plugin|-B|-specs|-wrapper|-fuse-ld|` +
		`[" (]/|~|\.\./`}
)

// cmakeCommands say what is built of what, and run nothing else.
const cmakeCommands = " cmake_minimum_required project add_executable add_library " +
	"target_link_libraries target_sources " +
	"target_include_directories target_compile_features target_compile_options " +
	"target_compile_definitions set option message " +
	"include_directories enable_testing add_subdirectory if else elseif endif foreach endforeach " +
	"list string " +
	"set_target_properties add_compile_options add_definitions link_libraries unset "

// writesByCode is the rule for the files that inline code writes.
func (a *argv) writesByCode(label string, act *code.Act) {
	makes := strings.Contains(strings.ToLower(act.Name), "mkdir") ||
		strings.Contains(act.Name, "makedirs")
	for _, path := range act.Args {
		a.address(isRead, label, lit(path))
		a.writes(label, lit(path))
		if !makes {
			a.w.overwrites(a.p, lit(path), a.sc)
		}
		a.reads(lit(path))
		own := a.row.reader == "python" && a.coded != "" && a.fromProject(lit(path)) &&
			mildStrings(a.coded, path)
		a.w.wroteFile(path, a.sc)
		if own {
			a.w.texts = append(a.w.texts, fileText{file: a.w.at(path, a.sc).abs, own: true})
		}
	}
}
