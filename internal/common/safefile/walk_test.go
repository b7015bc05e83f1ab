package safefile

import (
	"strings"
	"testing"
)

func TestWalk(t *testing.T) {
	links := map[string]string{"/a": "b", "/b": "/c/d/", "/c/d/up": "../x", "/o": "o",
		"/none": "no/../where"}
	for _, c := range []struct{ at, rest, end, turns string }{
		{"/", "/x/./y//z", "/x/y/z", ""},
		{"/", "", "/", ""},
		{"/", "/a/e", "/c/d/e", "/a /b"},
		{"/c/d", "up", "/c/x", "/c/d/up ../c/d"},
		{"/x", "../../a", "/c/d", "../x ../ /a /b"},
		{"/", "o/x", "", "/o"},
		{"/", "none", "/where", "/none ../no"},
		{"/", "c/stop/../x", "", "../c/stop"},
	} {
		var turns []string
		end := Walk(c.at, c.rest, func(path string) string { return links[path] },
			func(in, link string) bool {
				if link == "" {
					link = ".." + in
				}
				if len(turns) == 0 || turns[len(turns)-1] != link {
					turns = append(turns, link)
				}
				return in != "/c/stop"
			})
		if got := strings.Join(turns, " "); end != c.end || got != c.turns {
			t.Errorf("%s from %s: %q by %q, want %q by %q", c.rest, c.at, end, got, c.end, c.turns)
		}
	}
}

// At most 40 links may be on a way (path_resolution(7)). The one after is told as well: with
// a file in its place the way would have an end.
func TestMost(t *testing.T) {
	for n, want := range map[int]string{40: "/x", 41: "", 50: ""} {
		left, turns := n, 0
		end := Walk("/", "x", func(string) string {
			if left--; left < 0 {
				return ""
			}
			return "x"
		}, func(string, string) bool {
			turns++
			return true
		})
		if end != want || turns != min(n, 41) {
			t.Errorf("%d links: %q, %d turns", n, end, turns)
		}
	}
}
