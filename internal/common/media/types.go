package media

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
