package capture

import (
	"os"
	"strings"
	"testing"

	"ua/internal/common/redact"
)

func BenchmarkWrite(b *testing.B) {
	piece := []byte(strings.Repeat("the quick brown fox jumps over the lazy dog 0123456789\n",
		1192))[:64<<10]
	for _, to := range []string{"memory", "file"} {
		b.Run(to, func(b *testing.B) {
			c := New(Options{Max: 32 << 10, FileMax: 1 << 40, Secrets: redact.NewSet(nil),
				Create: func() (*os.File, error) {
					if to == "memory" {
						return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
					}
					return os.CreateTemp(b.TempDir(), "")
				}})
			b.SetBytes(int64(len(piece)))
			for range b.N {
				buf := c.Space(len(piece))
				copy(buf, piece)
				c.Write(buf)
			}
			c.Close(false)
		})
	}
}
