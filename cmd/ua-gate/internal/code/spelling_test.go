package code

import (
	"fmt"
	"strings"
	"testing"
)

// TestSpellings holds that a call does no less for being spelled another way: the module
// under another name, the function imported alone, fetched by its name, or its name put
// together.
func TestSpellings(t *testing.T) {
	for _, call := range []struct{ module, function, args string }{
		{"os", "remove", `"a"`}, {"os", "system", `"id"`}, {"shutil", "rmtree", `"src"`},
		{"subprocess", "call", `["rm", "a"]`}, {"os", "rename", `"a", "/tmp/a"`},
		{"pkgutil", "resolve_name", `"os:remove"`}, {"pydoc", "pipepager", `"a", "sh"`},
		{"socket", "create_connection", `("h", 1)`}, {"urllib.request", "urlopen", `"http://h"`},
		{"frob", "download_model", `"a"`}, {"frob", "delete_bucket", `"a"`},
		{"git.cmd", "push", `"origin"`}, {"frob.hub", "load", `"a"`},
		{"compileall", "compile_dir", `"/usr/lib"`}, {"ensurepip", "bootstrap", ``},
	} {
		m, f, args := call.module, call.function, call.args
		half := len(f) / 2
		spellings := []string{
			fmt.Sprintf("import %s; %s.%s(%s)", m, m, f, args),
			fmt.Sprintf("import %s as x; x.%s(%s)", m, f, args),
			fmt.Sprintf("from %s import %s; %s(%s)", m, f, f, args),
			fmt.Sprintf("from %s import %s as y; y(%s)", m, f, args),
			fmt.Sprintf("from %s import (\n    %s,\n)\n%s(%s)", m, f, f, args),
			fmt.Sprintf("import %s as x\nz = x.%s\nz(%s)", m, f, args),
			fmt.Sprintf("import %s as x\nz = x\nz.%s(%s)", m, f, args),
			fmt.Sprintf("import %s as x\nif True:\n    print(x.%s(%s))", m, f, args),
			fmt.Sprintf("import %s as x; (lambda: x.%s(%s))()", m, f, args),
			fmt.Sprintf("import %s as x; [x.%s(%s) for _ in [1]]", m, f, args),
		}
		if !strings.Contains(m, ".") {
			spellings = append(spellings,
				fmt.Sprintf("__import__(%q).%s(%s)", m, f, args),
				fmt.Sprintf("import importlib; importlib.import_module(%q).%s(%s)", m, f, args),
				fmt.Sprintf("import importlib as i; x = i.import_module(%q); x.%s(%s)", m, f, args))
		}
		if Standard("python", m) {
			spellings = append(spellings,
				fmt.Sprintf("import %s as x; getattr(x, %q + %q)(%s)", m, f[:half], f[half:], args),
				fmt.Sprintf("import sys; sys.modules[%q].%s(%s)", m, f, args),
				fmt.Sprintf("import sys; sys.modules.get(%q).%s(%s)", m, f, args),
				fmt.Sprintf("import %s as x; x.__dict__[%q](%s)", m, f, args),
				fmt.Sprintf("import %s as x; vars(x)[%q](%s)", m, f, args))
		}
		for _, text := range spellings {
			acts, ok := Acts("python", text)
			grave := !ok
			for _, a := range acts {
				grave = grave || a.Kind != Read && a.Kind != Env &&
					(a.Kind != Load || !Standard("python", m))
			}
			if !grave {
				t.Errorf("%s: %v", text, acts)
			}
		}
	}
}
