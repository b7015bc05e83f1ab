package usage

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"strings"
	"testing"

	"ua/internal/common/media"
)

// TestMedium: a PDF counts by its pages, compressed ones too, and any other file once.
func TestMedium(t *testing.T) {
	const pages = "<< /Type /Pages /Count 3 >>\n"
	three := strings.Repeat("<< /Type /Page /Parent 1 0 R >>\n", 3)
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write([]byte(pages + three))
	z.Close()
	for name, c := range map[string]struct {
		file string
		want int
	}{
		"a picture":  {"\x89PNG\r\n\x1a\n" + three, media.Tokens},
		"no page":    {"%PDF-1.4\n", media.Tokens},
		"pages":      {"%PDF-1.4\n" + pages + three, 3 * pageTokens},
		"compressed": {"%PDF-1.5\n<< /Type /ObjStm >>\nstream\r\n" + packed.String(), 3 * pageTokens},
		"broken":     {"%PDF-1.5\n" + three + "<< /Type /ObjStm >>\nstream\nx", 3 * pageTokens},
		"many":       {"%PDF-1.4\n" + strings.Repeat(three, 1000), maxPages * pageTokens},
	} {
		text := base64.StdEncoding.EncodeToString([]byte(c.file))
		for _, data := range []string{text, "data:application/pdf;base64," + text} {
			if got := Medium(data); got != c.want {
				t.Errorf("%s: %d, want %d", name, got, c.want)
			}
		}
	}
}
