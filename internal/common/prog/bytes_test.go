package prog

import "testing"

func TestBytes(t *testing.T) {
	for text, want := range map[string]Bytes{
		"4096": 4096, "64K": 64 << 10, "2g": 2 << 30, "512MiB": 512 << 20, "512mib": 512 << 20,
		"1TB": 1 << 40, "7B": 7, "9223372036854775807": 1<<63 - 1,
		"": 0, "x": 0, "0": 0, "0G": 0, "-1": 0, "1.5G": 0, "K": 0, "1P": 0, "1 G": 0, "+1": 0,
		"9223372036854775808": 0, "9999999T": 0, "1BB": 0, "1e9": 0, "512I": 0, "512i": 0, "512IB": 0,
		"IB": 0, "B": 0, "KB": 0, "1KK": 0, "512IG": 0, "1BK": 0,
	} {
		var b Bytes
		err := b.UnmarshalText([]byte(text))
		if b != want || (err == nil) != (want > 0) {
			t.Errorf("%q: %d, %v", text, b, err)
		}
		back, _ := b.MarshalText()
		for _, written := range []string{string(back), b.Short()} {
			if again := b; err == nil && (again.UnmarshalText([]byte(written)) != nil || again != b) {
				t.Errorf("%q is written as %q", text, written)
			}
		}
	}
	for b, want := range map[Bytes]string{1 << 30: "1G", 1536 << 20: "1536M", 1000: "1000",
		2 << 50: "2048T"} {
		if got := b.Short(); got != want {
			t.Errorf("%d: %s, want %s", b, got, want)
		}
	}
}
