package media

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"
)

func chunk(name string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, name...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

func riff(form string, n int) []byte {
	b := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(4+n))...)
	return append(append(b, form...), make([]byte, n)...)
}

func samples() map[Type][]byte {
	png := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", make([]byte, 13))...)
	png = append(append(png, chunk("IDAT", []byte("IEND in the data"))...), chunk("IEND", nil)...)
	return map[Type][]byte{
		"image/png":  png,
		"image/jpeg": []byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00data\xff\xd9"),
		"image/gif": []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00," +
			"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x00;"),
		"image/webp":      riff("WEBP", 40),
		"audio/wav":       riff("WAVE", 40),
		"application/pdf": []byte("%PDF-1.4\n1 0 obj\nendobj\n%%EOF"),
	}
}

func TestWhole(t *testing.T) {
	for want, b := range samples() {
		if got := Sniff(b); got != want {
			t.Errorf("%s is taken for %q", want, got)
		}
		if got := Sniff(b[:Enough]); got != want {
			t.Errorf("the first %d bytes of %s are taken for %q", Enough, want, got)
		}
		if n := want.Whole(b); n != len(b) {
			t.Errorf("%s takes %d of %d bytes", want, n, len(b))
		}
		if n := want.Whole(append(bytes.Clone(b), "warning: x\n"...)); n != len(b) {
			t.Errorf("%s and a line: %d, want %d bytes", want, n, len(b))
		}
		if n := want.Whole(b[:len(b)-1]); n != 0 {
			t.Errorf("%s without its last byte takes %d bytes", want, n)
		}
	}
	for _, text := range []string{"", "PNG", "GIF is a format", "RIFF", "RIFFxxxxAVI ", "\xff\xd8",
		"%PD"} {
		if got := Sniff([]byte(text)); got != "" {
			t.Errorf("%q is taken for %s", text, got)
		}
	}
}

func FuzzWhole(f *testing.F) {
	for _, b := range samples() {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if n := Sniff(b).Whole(b); n < 0 || n > len(b) {
			t.Fatalf("%d of %d bytes", n, len(b))
		}
	})
}

// TestTypes: each type that Sniff tells has an ending of its own, and one kind.
func TestTypes(t *testing.T) {
	for kind, want := range map[Type]string{PNG: "png image", JPEG: "jpg image", GIF: "gif image",
		WEBP: "webp image", WAV: "wav sound", "audio/x-wav": "wav sound", PDF: "pdf", "": "bin",
		"image/svg+xml": "bin"} {
		got := kind.Ext()
		if kind.Image() {
			got += " image"
		}
		if kind.Sound() {
			got += " sound"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
}
