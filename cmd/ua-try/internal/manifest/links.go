//go:build linux

package manifest

import (
	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/remove"
)

// hardLinks turns new names of a file into links to it. A file that the kernel copied up
// only to give it another name is still that file.
func (s *scanner) hardLinks() {
	for _, names := range s.shared {
		same := ""
		for _, n := range names {
			if n.entry < 0 {
				same = n.path
			}
		}
		for _, n := range names {
			if same != "" && n.entry >= 0 {
				s.list[n.entry].Link = tree.Name(same)
			}
		}
	}
}

// Tidy removes the folders in which the kernel prepares changes.
func Tidy(t *try.Try) error {
	for i := range t.Covers {
		if err := remove.All(t.Work(i)); err != nil {
			return err
		}
	}
	return nil
}
