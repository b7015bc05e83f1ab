package output

import "testing"

func TestMarker(t *testing.T) {
	m := marker{begins: true}
	got := ""
	for _, p := range []string{"a\nb", "", "c\n", "\n", "d"} {
		got += string(m.mark([]byte(p)))
	}
	if want := "[stderr] a\n[stderr] bc\n[stderr] \n[stderr] d"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
