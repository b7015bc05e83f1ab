package usage

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"io"
	"regexp"
	"strings"
	"sync"

	"ua/internal/common/media"
)

// pageTokens is what a page of a PDF counts: its picture, and as much for its text
// (Anthropic, "PDF support": 1,500 to 3,000 tokens of text a page, and the image).
const pageTokens = 2 * media.Tokens

// Bounds on the search for pages: how many count, and how much of the objects that a PDF
// keeps compressed is looked through, since a small file can hold any amount.
const (
	maxPages    = 1000
	maxInflated = 16 << 20
)

// page returns what begins a page among the objects of a PDF (ISO 32000-1, 7.7.3.3). Most
// conversations have none.
var page = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`/Type\s*/Page[^s\w]`)
})

// Medium returns about how many tokens a file takes, whose data is given in base64, perhaps
// as a data URL: media.Tokens, and more for a PDF of many pages.
func Medium(data string) int {
	if strings.HasPrefix(data, "data:") {
		_, data, _ = strings.Cut(data, ",")
	}
	if !strings.HasPrefix(data, pdfStart) {
		return media.Tokens
	}
	raw, _ := base64.StdEncoding.DecodeString(data)
	return max(media.Tokens, min(pages(raw), maxPages)*pageTokens)
}

// pdfStart is how "%PDF-" begins in base64.
const pdfStart = "JVBER"

// pages returns how many pages of a PDF can be seen, those in compressed objects (7.5.7)
// too.
func pages(pdf []byte) int {
	n := len(page().FindAllIndex(pdf, maxPages))
	left := int64(maxInflated)
	for rest := pdf; left > 0 && n < maxPages; {
		_, after, found := bytes.Cut(rest, []byte("/ObjStm"))
		_, after, begins := bytes.Cut(after, []byte("stream"))
		if !found || !begins {
			break
		}
		rest = after
		z, err := zlib.NewReader(bytes.NewReader(bytes.TrimLeft(after, "\r\n")))
		if err != nil {
			continue
		}
		text, _ := io.ReadAll(io.LimitReader(z, left))
		left -= int64(len(text))
		n += len(page().FindAllIndex(text, maxPages))
	}
	return n
}
