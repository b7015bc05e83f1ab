package runfolder

import (
	"testing"

	"ua/internal/common/run"
)

func TestIsID(t *testing.T) {
	for name, want := range map[string]bool{
		run.NewID(): true, "20260102-030405-0a1b2c": true,
		"": false, "--": false, "20260102-030405-0a1b2C": false, "20260102-030405-0a1b2c\n": false,
		"20260102-030405-0a1b2": false, "2026010a-030405-0a1b2c": false, "20260102-030405": false,
		"20260102-030405-0a-b2c": false, "20260102-0304051-0a1b2": false,
	} {
		if got := IsID(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
