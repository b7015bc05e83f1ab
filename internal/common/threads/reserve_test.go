package threads

import (
	"runtime/pprof"
	"testing"
)

// TestFill counts the threads that the runtime has made, before and after.
func TestFill(t *testing.T) {
	made := pprof.Lookup("threadcreate")
	var r Reserve
	r.Fill()
	n := made.Count()
	if n < Spare {
		t.Errorf("%d threads", n)
	}
	if r.Fill(); made.Count() != n {
		t.Errorf("%d threads by filling twice, %d before", made.Count(), n)
	}
}
