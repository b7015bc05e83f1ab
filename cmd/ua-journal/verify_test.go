package main

import ("testing";"os")

func BenchmarkVerify(b *testing.B) {
	j, size, err := openJournal("/tmp/journal/b/o2")
	if err != nil { b.Skip() }
	_ = os.Stdout
	b.SetBytes(size)
	for b.Loop() {
		if _, err := verify(j, size, ""); err != nil { b.Fatal(err) }
	}
}
