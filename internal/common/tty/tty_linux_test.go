package tty

import (
	"testing"
	"time"

	"github.com/creack/pty"
)

// A told writer sends on what is written.
type told struct{ said chan string }

func (w *told) Write(p []byte) (int, error) {
	w.said <- string(p)
	return len(p), nil
}

// TestTurns: a question has a terminal alone, and those that print don't keep each other away.
func TestTurns(t *testing.T) {
	screen, file, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	defer file.Close()
	printed := func(d Device) bool { return d.Print(func() {}) }
	one, two := Of(file), Of(file)
	defer two.Close()
	if !one.Print(func() {
		if !printed(two) {
			t.Error("two that print keep each other away")
		}
		if two.Take(time.Time{}) != ErrLate {
			t.Error("a question comes while somebody prints")
		}
	}) {
		t.Error("nobody asks, yet nothing is printed")
	}
	if err := one.Take(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if printed(two) || two.Take(time.Time{}) != ErrLate {
		t.Error("a question is not alone")
	}
	said := make(chan string, 1)
	go func() {
		two.Writer(&told{said}).Write([]byte("later"))
	}()
	select {
	case s := <-said:
		t.Errorf("%q while a question is open", s)
	case <-time.After(2 * again): // it has looked
	}
	one.Close()
	if s := <-said; s != "later" {
		t.Errorf("%q", s)
	}
	if !printed(two) || two.Take(time.Now().Add(time.Minute)) != nil {
		t.Error("the turn is not given back")
	}
	if !printed(Device{}) || (Device{}).Take(time.Time{}) != nil {
		t.Error("a terminal without turns keeps somebody waiting")
	}
}
