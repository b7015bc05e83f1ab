package machine

import (
	"path"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/verdict"
)

// Program returns the row of a program by the word that names it, and the least
// level that its place gives it.
func (m *State) Program(name string) (*table.Row, verdict.Level) {
	dir, base := path.Split(name)
	if dir == "" {
		if r := m.Row(base); r != nil {
			return r, verdict.ReadOnly
		}
		return m.Versioned(base), verdict.ReadOnly
	}
	r := m.Row(base)
	if r == nil {
		r = m.Versioned(base)
	}
	switch dir = path.Clean(dir); {
	case r == nil && m.ProjectDir(dir) && !strings.HasPrefix(dir, "target/") &&
		!m.HasWritten(shell.Lit(name), &shell.Scope{Cwd: m.Cwd}):
		return table.ProjectTool(base), verdict.BuildTest
	case r == nil:
		return nil, verdict.Destructive
	case m.systemDir(dir):
		return r, verdict.ReadOnly
	case m.ProjectDir(dir), dir == "bin" &&
		match.InList(
			" rails rake rspec rubocop bundle brakeman artisan phpunit console phpstan pest psalm ",
			base),
		match.InList(projectCopies, base) && (!strings.ContainsRune("/~", rune(name[0])) ||
			m.At(name, &shell.Scope{}).Kind&table.PathHere != 0):
		return r, verdict.BuildTest
	}
	return nil, verdict.Destructive
}

// Versioned returns the row of a program whose name ends in a version, or in what Windows
// calls programs by: python3.12, gcc-13, clang-format-18, powershell.exe.
func (m *State) Versioned(base string) *table.Row {
	if short, ok := strings.CutSuffix(base, ".exe"); ok {
		return m.Row(short)
	}
	if strings.HasPrefix(base, "python") {
		base = strings.TrimSuffix(strings.TrimSuffix(base, "-dbg"), "t") // python3.13t
	}
	short := strings.TrimRight(base, "0123456789.")
	if short = strings.TrimSuffix(short, "-"); short != base && short != "" {
		if r := m.Row(short); r != nil {
			return r
		}
	}
	return nil
}

// systemDir reports whether the folder is one of the system's programs.
func (m *State) systemDir(dir string) bool {
	return strings.HasPrefix(dir, "/") && m.ByTable(m.Place(dir))&table.PathPrograms != 0
}

// projectCopies are the programs that a project has a copy of its own of, to build with.
const projectCopies = " configure autogen.sh bootstrap gradlew mvnw mill sbt rebar3 waf bazel " +
	"bazelisk amper "

// ProjectDir reports whether the folder is one that a project's package manager
// fills with its tools.
func (m *State) ProjectDir(dir string) bool {
	return !strings.HasPrefix(dir, "/") && m.ByTable(m.Place(dir))&table.PathTools != 0
}

// ToolValue reports whether a program's value is a tool that builds use, perhaps with harmless
// flags.
func (m *State) ToolValue(text string) bool {
	words := strings.Fields(text)
	if len(words) == 0 || strings.ContainsAny(text, ";|&$`<>()!\n'\""+match.Hole) {
		return len(words) == 0
	}
	r, least := m.Program(words[0])
	return r != nil && max(r.Level, least) <= verdict.BuildTest &&
		r.Facts&(table.FactCode|table.FactScript) == 0 &&
		!slices.ContainsFunc(words[1:], func(t string) bool {
			return t[0] != '-' && !m.ToolValue(t) || !MildFlags(t) || t == "-c" ||
				strings.Contains(t, "/")
		})
}

// FromNPM reports whether the registry of npm has a program under the name by which the table
// knows it. A word of another program, such as cat or ruff, is there whatever somebody put there.
func (m *State) FromNPM(name string) bool {
	_, listed := m.Row("registry of npm").Sub(name)
	return listed
}

// GitSafe reports whether a setting, KEY=VALUE or KEY, runs nothing.
func (m *State) GitSafe(key, value string) bool {
	key = strings.ToLower(key)
	section, _, _ := strings.Cut(key, ".")
	mild := m.Row("settings of git")
	if _, ok := mild.Sub(key); ok {
		return true
	} else if _, ok := mild.Sub(section + ".*"); ok {
		return true
	}
	switch {
	case section == "alias":
		return value != "" && !strings.ContainsAny(value, match.Hole) &&
			!strings.ContainsAny(value[:1], "!-")
	case strings.HasPrefix(key, "pager."), key == "core.pager", key == "core.editor",
		key == "sequence.editor", key == "core.fsmonitor":
		return value == "false" || m.ToolValue(value)
	case key == "core.hookspath":
		return value == "/dev/null" || value == ".githooks" || value == ".husky"
	case key == "credential.helper":
		return value == ""
	case key == "safe.directory": // whose repository it is, where containers have another user
		return value != "" && !strings.ContainsAny(value, "*")
	case key == "commit.template", key == "core.excludesfile":
		return PathLike(value) && Below(value)
	}
	return false
}

// Variable returns what setting the variable means, by the user's rows or the
// embedded ones.
func (m *State) Variable(name string) (table.VarKind, bool) {
	if k, ok := m.Overlay.Variable(name); ok {
		return k, true
	}
	return m.embedded().Variable(name)
}

// SearchPath reports whether all folders of a PATH are the system's, the user's
// own or a project's tools.
func (m *State) SearchPath(text string) bool {
	for dir := range strings.SplitSeq(text, ":") {
		tools := strings.HasPrefix(dir, match.Hole+"/") && !strings.Contains(dir, "tmp") ||
			dir == "./bin"
		if dir != "" && dir != match.Hole && !tools && !m.systemDir(dir) && !m.ProjectDir(dir) &&
			!slices.ContainsFunc([]string{"~/", "/opt/", "/usr/", "./node_modules/.bin"},
				func(root string) bool { return strings.HasPrefix(dir, root) }) {
			return false
		}
	}
	return true
}

// Below reports whether all folders of a list are below the working directory.
func Below(text string) bool {
	for _, dir := range strings.Split(text, ":") {
		if strings.HasPrefix(dir, "/") || strings.HasPrefix(dir, "~") || strings.Contains(dir, "..") ||
			strings.Contains(dir, match.Hole) && dir != match.Hole {
			return false
		}
	}
	return true
}

// MildFlags reports whether flags load no code, as far as they say so.
func MildFlags(text string) bool { return !loadingFlags.Match(text) }

// loadingFlags finds flags by which compilers and interpreters load or run code.
var loadingFlags = match.Regex{Text: "exec|require|import|load|agent|plugin|wrapper|specs|" +
	"linker|vettool|overlay|modfile|inspect|eval|command|-[re] |-B|OnError|OnOutOf|bootclass|" +
	"-fuse-ld=[/.]|file=|[@`]|\\$[^ '\"|)]"}
