package classify

import (
	"testing"
)

// BenchmarkClassify is the speed over everyday and hostile commands, in turn.
func BenchmarkClassify(b *testing.B) {
	list := append(cases(b, "everyday.tsv"), cases(b, "hostile.tsv")...)
	size := 0
	for _, c := range list {
		size += len(c.command)
	}
	b.SetBytes(int64(size / len(list)))
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		Classify(list[i%len(list)].command, &here)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commands/s")
}

// BenchmarkStart is what the first command costs a gate: the rows and rules that
// it asks for are decoded.
func BenchmarkStart(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		o := here
		Classify("git -C dir log --oneline -n 5 | grep -v wip && ls -l src", &o)
	}
}
