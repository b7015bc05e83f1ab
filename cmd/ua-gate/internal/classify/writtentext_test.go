package classify

import "testing"

// TestWrittenText holds that a file which the command writes and then runs is judged by what it
// wrote there, and only where nothing else may stand in the file by then.
func TestWrittenText(t *testing.T) {
	const harmless, loses = "<<'E'\nprint(1)\nE\n", "<<'E'\nimport os; os.remove('a')\nE\n"
	for _, c := range []struct {
		calm    bool
		command string
	}{
		{true, "cat > /tmp/x.py " + harmless + "python3 /tmp/x.py"},
		{false, "cat > x.py " + loses + "python3 x.py"},
		{true, "cat > x.sh <<'E'\ngrep -n a b\nE\nbash x.sh"},
		{false, "cat > x.sh <<'E'\nrm -rf src\nE\nbash x.sh"},
		{true, "cat > test_x.py <<'E'\ndef test_x():\n    assert 1\nE\npytest test_x.py"},
		{false, "cat > test_x.py " + loses + "pytest test_x.py"},
		{false, "cat > conftest.py " + loses + "pytest"},
		{false, "false && cat > x.py " + harmless + "python3 x.py"},
		{false, "if a; then cat > x.py " + harmless + "fi\npython3 x.py"},
		{false, "f() { cat > x.py " + harmless + "}\npython3 x.py"},
		{false, "cat() { :; }; cat > x.py " + harmless + "python3 x.py"},
		{false, "cat > x.py " + harmless +
			"echo 'import os; os.remove(\"/home/user/a\")' >> x.py\npython3 x.py"},
		{false, "cat > x.py " + harmless + "cp y.py x.py; python3 x.py"},
		{false, "cat > x.py " + harmless + "ln -sf y.py x.py; python3 x.py"},
		{false, "cat > x.py " + harmless + "./gen; python3 x.py"},
		{false, "cat > x.py & " + harmless + "python3 x.py"},
		{false, "echo 'import os; os.remove(\"/home/user/a\")' > x.py; " +
			"cat > /dev/null " + harmless + "python3 x.py"},
		{true, "cat > json.py " + harmless + "cat > x.py <<'E'\nimport json\nE\npython3 x.py"},
		{false, "cat > json.py " + loses + "cat > x.py <<'E'\nimport json\nE\npython3 x.py"},
		{false, "cat > a.py <<'E'\nimport b\nE\ncat > b.py <<'E'\nimport a\nE\npython3 a.py"},
		{false, "cat > Makefile <<'E'\ntest:\n\trm -rf /x\nE\nmake test"},
		{false, "cat > Makefile <<'E'\nR = rm -rf\ntest:\n\t$(R) /x\nE\nmake test"},
		{false, "cat > Makefile <<'E'\nSHELL = /tmp/x\ntest:\n\tls\nE\nmake test"},
		{false, "cat > Makefile <<'E'\nX := $(shell rm x)\ntest:\n\tls\nE\nmake test"},
		{false, "cat > Makefile <<'E'\ninclude /tmp/x\ntest:\n\tls\nE\nmake test"},
		{false, "cat > Makefile <<'E'\ntest: ; rm -rf x\nE\nmake test"},
		{false, "cat > package.json <<'E'\n{\"scripts\":{\"pretest\":\"rm -rf /x\"}}\nE\nnpm test"},
		{false, "cat > package.json <<'E'\n{\"jest\":{\"globalSetup\":\"/tmp/x\"}}\nE\nnpm test"},
		{false, "cat > src/lib.rs <<'E'\nuse std::fs as g;\nE\ncargo test"},
		{true, "sed -i 's/foo/bar/' src/a.go && go test ./..."},
		{false, "sed -i 's/foo/os.RemoveAll(\"x\")/' src/a.go && go test ./..."},
		{false, "sed -i 's/foo/'\"$x\"'/' src/a.go && go test ./..."},
		{false, "sed -i 's/^a:.*/a:\\n\\trm -rf x/' Makefile; make a"},
		{false, "sed -i 's/^a:.*/a:\\n\\tls/' Makefile; make a"},
		{false, "cat > CMakeLists.txt <<'E'\nexecute_process(COMMAND rm x)\nE\ncmake -B build"},
		{false, "cat > main.c <<'E'\n" +
			"#include <stdlib.h>\nint main(void) { return system(\"rm x\"); }\nE\n" +
			"gcc -o m main.c && ./m"},
		{true, "cat > q.sql <<'E'\nselect 1;\nE\nsqlite3 a.db < q.sql"},
		{false, "cat > q.sql <<'E'\n.shell rm x\nE\nsqlite3 a.db < q.sql"},
		{false, "cat > a_test.go <<'E'\npackage a\nimport (\n\t\"os/exec\"\n)\nE\ngo test ./..."},
		{false, "cat > a_test.go <<'E'\n" +
			"package a; import \"os\"; func init() { os.RemoveAll(\"/home/user\") }\nE\n" +
			"go test ./..."},
		{false, "cat > a_test.go <<'E'\npackage a\nimport o \"os\"\nE\ngo test ./..."},
	} {
		if r := Classify(c.command, &here); (r.Level <= write) != c.calm {
			t.Errorf("%q is %v (%s: %s)", c.command, r.Level, r.Row, r.Reason)
		}
	}
}
