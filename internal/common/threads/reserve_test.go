package threads

import (
	"runtime/pprof"
	"sync/atomic"
	"testing"
	"time"
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

// TestGrowth: the threads are made when there are many more than the fewest so far, when
// that is not known, and at the end; not before.
func TestGrowth(t *testing.T) {
	never := time.Now().Add(time.Hour)
	for name, c := range map[string]struct {
		counts []uint16 // at each look, the last one for ever; 0: not known
		last   time.Time
		looks  int // until they are made
	}{
		"many more":                {[]uint16{1000, 1000, 1000 + growth - 1, 1000 + growth}, never, 4},
		"past 1<<16":               {[]uint16{1<<16 - 1, 1, growth, 1}, never, 3},
		"others end, many begin":   {[]uint16{1000, 500, 500 + growth - 1, 500 + growth}, never, 4},
		"not known":                {[]uint16{1000, 0}, never, 2},
		"the last look, no growth": {[]uint16{1000, 1000}, time.Now(), 2},
	} {
		var r Reserve
		var looks atomic.Int32
		count := func() (uint16, bool) {
			n := c.counts[min(int(looks.Add(1)), len(c.counts))-1]
			return n, n != 0
		}
		r.watch(count, time.Millisecond, c.last)
		for int(looks.Load()) < c.looks {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond) // for looks that should not come
		r.Fill()                          // waits for one that is under way
		if n := int(looks.Load()); n != c.looks {
			t.Errorf("%s: made after %d looks, not %d", name, n, c.looks)
		}
	}
	if n, ok := running(); ok && n == 0 {
		t.Error("no thread runs")
	}
}
