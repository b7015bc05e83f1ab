package main

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"ua/internal/common/event"
	"ua/internal/common/journal"
)

// What is looked at ahead is given as the Reader gives it, in order, whatever
// stands between the events and however the stream comes.
func TestFeed(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 0))
		var in bytes.Buffer
		for range random.IntN(3000) {
			switch random.IntN(100) {
			case 0:
				in.WriteString("\n")
			case 1:
				in.WriteString("junk\n")
			case 2:
				in.WriteString(" \t\n[]\n")
			case 3:
				in.WriteString(`{"type":"long","x":"` + strings.Repeat("y", random.IntN(20000)) + "\"}\n")
			default:
				in.WriteString(`{"type":"message","x":"` + strings.Repeat("y", random.IntN(300)) + "\"} \r\n")
			}
		}
		in.WriteString(`{"type":"message"}`)
		var stream io.Reader = bytes.NewReader(in.Bytes())
		if seed%2 > 0 {
			stream = iotest.HalfReader(stream)
		}
		want := event.NewReader(bytes.NewReader(in.Bytes()))
		f := &feed{r: event.NewReaderSize(stream, 8<<10)}
		var prev journal.Hash
		for end := false; !end; {
			line, err := want.Next()
			got, seal, gotErr := f.Next()
			end = err == io.EOF
			if string(got) != string(line) || (gotErr == nil) != (err == nil) || end != (gotErr == io.EOF) || want.Offset() != f.r.Offset() {
				t.Fatalf("seed %d: at %d %.50q, %v; want at %d %.50q, %v", seed, f.r.Offset(), got, gotErr, want.Offset(), line, err)
			}
			var bad *event.Malformed
			if errors.As(err, &bad) && gotErr.Error() != err.Error() {
				t.Fatalf("seed %d: %v, want %v", seed, gotErr, err)
			}
			if err != nil || seal == nil {
				continue
			}
			sealed, hash := seal.End(nil, prev)
			if one, oneHash := journal.Seal(nil, line, prev); string(sealed) != string(one) || hash != oneHash {
				t.Fatalf("seed %d: %s, %s; want %s, %s", seed, sealed, hash, one, oneHash)
			}
			prev = hash
		}
		f.close()
	}
}
