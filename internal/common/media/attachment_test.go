package media

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

func TestFrom(t *testing.T) {
	for _, c := range []struct{ data, kind, text, media, err string }{
		{"plain\n", "text/plain", "plain\n", "", ""},
		{"", "text/plain", "", "", ""},
		{"\x89PNG\r\n\x1a\n....", "image/png", "", "iVBORw0KGgouLi4u", ""},
		{"%PDF-1.7", "application/pdf", "", "JVBERi0xLjc=", ""},
		{"\x00\x01", "", "", "", `"f": neither text nor PNG, JPEG, GIF, WEBP, PDF or WAV`},
		{"\xff\xfe", "", "", "", `"f": neither text nor PNG, JPEG, GIF, WEBP, PDF or WAV`},
		{strings.Repeat("x", MaxAttachment+1), "", "", "",
			`"f": larger than the 47185920 bytes that an attachment may have`},
	} {
		b, err := AttachFrom("f", strings.NewReader(c.data))
		if c.err != "" {
			if err == nil || err.Error() != c.err {
				t.Errorf("%.20q: %v", c.data, err)
			}
			continue
		}
		v := gjson.ParseBytes(b)
		if err != nil || v.Get("media_type").Str != c.kind || v.Get("text").Str != c.text ||
			v.Get("data").Str != c.media || v.Get("name").Str != "f" {
			t.Errorf("%.20q: %s, %v", c.data, b, err)
		}
	}
}

func TestInstruction(t *testing.T) {
	a, _ := AttachFrom("f", bytes.NewReader([]byte("x")))
	line := Instruction("do", [][]byte{a, a})
	if gjson.GetBytes(line, "attachments.#").Int() != 2 || gjson.GetBytes(line, "text").Str != "do" {
		t.Errorf("%s", line)
	}
	if gjson.GetBytes(Instruction("do", nil), "attachments").Exists() {
		t.Error("no attachments are some")
	}
}

func TestRead(t *testing.T) {
	for path, want := range map[string]string{"no/such": `"no/such": no such file or directory`,
		"../media": `"../media": a directory`} {
		if _, err := Attach(path); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
