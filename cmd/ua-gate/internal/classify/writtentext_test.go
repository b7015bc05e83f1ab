package classify

import "testing"

// TestWrittenText holds that a file which the command writes and then runs is judged by what it
// wrote there, and only where nothing else may stand in the file by then.
func TestWrittenText(t *testing.T) {
	const harmless, loses = "<<'E'\nprint(1)\nE\n", "<<'E'\nimport os; os.remove('a')\nE\n"
	for command, calm := range map[string]bool{
		"cat > /tmp/x.py " + harmless + "python3 /tmp/x.py":                              true,
		"cat > x.py " + loses + "python3 x.py":                                           false,
		"cat > x.sh <<'E'\ngrep -n a b\nE\nbash x.sh":                                    true,
		"cat > x.sh <<'E'\nrm -rf src\nE\nbash x.sh":                                     false,
		"cat > test_x.py <<'E'\ndef test_x():\n    assert 1\nE\npytest test_x.py":        true,
		"cat > test_x.py " + loses + "pytest test_x.py":                                  false,
		"cat > conftest.py " + loses + "pytest":                                          false,
		"false && cat > x.py " + harmless + "python3 x.py":                               false,
		"if a; then cat > x.py " + harmless + "fi\npython3 x.py":                         false,
		"f() { cat > x.py " + harmless + "}\npython3 x.py":                               false,
		"cat() { :; }; cat > x.py " + harmless + "python3 x.py":                          false,
		"cat > x.py " + harmless + "echo 'import os' >> x.py\npython3 x.py":              false,
		"cat > x.py " + harmless + "cp y.py x.py; python3 x.py":                          false,
		"cat > x.py " + harmless + "ln -sf y.py x.py; python3 x.py":                      false,
		"cat > x.py " + harmless + "./gen; python3 x.py":                                 false,
		"cat > x.py & " + harmless + "python3 x.py":                                      false,
		"echo 'import os' > x.py; cat > /dev/null " + harmless + "python3 x.py":          false,
		"cat > json.py " + harmless + "cat > x.py <<'E'\nimport json\nE\npython3 x.py":   false,
		"cat > a_test.go <<'E'\npackage a\nimport \"testing\"\nE\ngo test ./...":         true,
		"cat > a_test.go <<'E'\npackage a\nimport (\n\t\"os/exec\"\n)\nE\ngo test ./...": false,
		"cat > a_test.go <<'E'\npackage a; import \"os\"\nE\ngo test ./...":              false,
		"cat > a_test.go <<'E'\npackage a\nimport o \"os\"\nE\ngo test ./...":            false,
	} {
		if r := Classify(command, &here); (r.Level <= write) != calm {
			t.Errorf("%q is %v (%s: %s)", command, r.Level, r.Row, r.Reason)
		}
	}
}
