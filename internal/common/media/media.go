// Package media recognizes by their bytes the binary files that a model can be shown:
// PNG, JPEG, GIF, WEBP, WAV and PDF. Only whole files count, since a model's server
// refuses a broken one, and the conversation with it. It also makes attachments of files: text,
// or media in base64, as parts of an event (ua-events(5)).
package media

import (
	"bytes"
	"encoding/binary"
)

// Enough is the most bytes that Sniff needs.
const Enough = 12

// Tokens is what a file counts in every budget: an image of the size that providers take
// without scaling (Anthropic, "Vision": width × height / 750).
const Tokens = 1600

// Sniff returns the type of a file that begins with b, "" for any other.
func Sniff(b []byte) Type {
	riff := len(b) >= 12 && string(b[:4]) == "RIFF"
	switch {
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		return PNG
	case bytes.HasPrefix(b, []byte("\xff\xd8\xff")):
		return JPEG
	case bytes.HasPrefix(b, []byte("GIF87a")), bytes.HasPrefix(b, []byte("GIF89a")):
		return GIF
	case riff && string(b[8:12]) == "WEBP":
		return WEBP
	case riff && string(b[8:12]) == "WAVE":
		return WAV
	case bytes.HasPrefix(b, []byte("%PDF-")):
		return PDF
	}
	return ""
}

// Whole returns how many bytes at the start of b belong to the file, which Sniff has
// recognized. It is 0 if the file is incomplete.
func (t Type) Whole(b []byte) int {
	switch t {
	case PNG:
		return png(b)
	case JPEG:
		return through(b, "\xff\xd9")
	case GIF:
		if len(b) > 13 {
			return through(b, "\x00;")
		}
	case WEBP, WAV:
		if n := int64(8) + int64(binary.LittleEndian.Uint32(b[4:])); n <= int64(len(b)) && n > 12 {
			return int(n)
		}
	case PDF:
		return through(b, "%%EOF")
	}
	return 0
}

// through returns the end of the last mark in b, 0 if there is none.
func through(b []byte, mark string) int {
	if i := bytes.LastIndex(b, []byte(mark)); i >= 0 {
		return i + len(mark)
	}
	return 0
}

// png returns the end of the chunk IEND (PNG specification, section 5.3), 0 if it is
// missing.
func png(b []byte) int {
	for at := 8; at+12 <= len(b); {
		n := int64(binary.BigEndian.Uint32(b[at:]))
		end := int64(at) + 12 + n
		if end > int64(len(b)) {
			return 0
		}
		if string(b[at+4:at+8]) == "IEND" {
			return int(end)
		}
		at = int(end)
	}
	return 0
}

// A Type is a media type, "" for none. Events from outside may have other types than
// these.
type Type string

// The types that Sniff recognizes.
const (
	PNG  Type = "image/png"
	JPEG Type = "image/jpeg"
	GIF  Type = "image/gif"
	WEBP Type = "image/webp"
	WAV  Type = "audio/wav"
	PDF  Type = "application/pdf"
)

// xWAV is the older name of WAV, which other programs write.
const xWAV Type = "audio/x-wav"

// Image reports whether t is an image of a type that all providers take.
func (t Type) Image() bool { return t == PNG || t == JPEG || t == GIF || t == WEBP }

// Sound reports whether t is a sound.
func (t Type) Sound() bool { return t == WAV || t == xWAV }

// Ext returns the file extension for t, "bin" for an unknown type.
func (t Type) Ext() string {
	switch t {
	case PNG:
		return "png"
	case JPEG:
		return "jpg"
	case GIF:
		return "gif"
	case WEBP:
		return "webp"
	case WAV, xWAV:
		return "wav"
	case PDF:
		return "pdf"
	}
	return "bin"
}
