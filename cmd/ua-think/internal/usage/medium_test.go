package usage

import (
	"encoding/base64"
	"strings"
	"testing"

	"ua/internal/common/media"
)

// TestMedium: a PDF counts by its size, and any other file once.
func TestMedium(t *testing.T) {
	long := strings.Repeat("x", 3*pdfStep/4*5)
	for name, c := range map[string]struct {
		file string
		want int
	}{
		"a picture":   {"\x89PNG\r\n\x1a\n" + long, media.Tokens},
		"a short PDF": {"%PDF-1.4\n", media.Tokens},
		"a long PDF":  {"%PDF-1.4\n" + long, 6 * media.Tokens},
	} {
		text := base64.StdEncoding.EncodeToString([]byte(c.file))
		for _, data := range []string{text, "data:application/pdf;base64," + text} {
			if got := Medium(data); got != c.want {
				t.Errorf("%s: %d, want %d", name, got, c.want)
			}
		}
	}
}
