//go:build linux

// Package landing applies a try to its folders and takes that back. The whole plan is
// written down before anything is touched. Each step is one rename whose effect inode
// numbers tell. So a kill at any moment leaves what the next apply can finish and what
// undo can take back.
package landing

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/confine"
	"ua/internal/common/safefile"
	"ua/internal/common/tree"
)

// A Kind says what a step does.
type Kind string

// The kinds of steps.
const (
	Make    Kind = "make"    // the slot's file goes to the path, where nothing was
	Replace Kind = "replace" // the slot's file and the path's change places
	Remove  Kind = "remove"  // the path's file or tree goes to the slot
	Folder  Kind = "folder"  // a folder is made
	Attrs   Kind = "attrs"   // a folder gets its mode, owner, attributes and time
)

// A Step is one line of a plan.
type Step struct {
	Kind  Kind      `json:"kind"`
	Cover int       `json:"cover"`
	Path  tree.Name `json:"path"`
	// where the other file of a rename is, below the area
	Slot tree.Name `json:"slot,omitempty"`
	// the path of which the slot's file is made as a link first
	Link        tree.Name       `json:"link,omitempty"`
	Before      *tree.File      `json:"before,omitempty"`       // at the path
	After       *tree.File      `json:"after,omitempty"`        // at the path
	AttrsBefore tree.Attributes `json:"attrs_before,omitempty"` // of a folder
	AttrsAfter  tree.Attributes `json:"attrs_after,omitempty"`
	// a folder keeps the time that the steps in it give it
	Natural bool `json:"natural,omitempty"`
}

// A Head is the first line of a plan.
type Head struct {
	Number int         `json:"number"`
	Paths  []tree.Name `json:"paths,omitempty"` // absolute; all when there are none
	Force  bool        `json:"force,omitempty"`
	// absolute: what is refused and stays in the try
	Skipped []tree.Name `json:"skipped,omitempty"`
	Areas   []tree.Name `json:"areas"` // for each cover, the folder in which slots lie
}

// A Plan is the file landing/NUMBER.STATE.jsonl.
type Plan struct {
	Head
	Steps []Step
	State State
}

// A State is how far a plan has come. It is part of the file's name, since a rename needs
// no space on a full disk.
type State string

// The states of plans.
const (
	Applying State = "applying"
	Applied  State = "applied"
	Undoing  State = "undoing"
	Undone   State = "undone"
)

// known reports whether a state is one of the four.
func (s State) known() bool {
	return slices.Contains([]State{Applying, Applied, Undoing, Undone}, s)
}

// Underway reports whether one of the plans is being applied or taken back, or was when
// it was cut.
func Underway(plans []*Plan) bool {
	return slices.ContainsFunc(plans, func(p *Plan) bool {
		return p.State == Applying || p.State == Undoing
	})
}

// skips reports whether a path, or a folder that it is in, stays in the try.
func (h *Head) skips(full string) bool {
	return slices.ContainsFunc(h.Skipped, func(s tree.Name) bool {
		return confine.Under(full, string(s))
	})
}

// planPath returns the path of a plan's file in a state.
func planPath(t *try.Try, number int, state State) string {
	return filepath.Join(t.Path(try.LandingDir), fmt.Sprintf("%d.%s.jsonl", number, state))
}

// to gives the plan another state.
func (p *Plan) to(t *try.Try, state State) error {
	if err := os.Rename(planPath(t, p.Number, p.State), planPath(t, p.Number, state)); err != nil {
		return err
	}
	p.State = state
	return nil
}

// save writes a new plan to the disk, with fsync(2).
func (p *Plan) save(t *try.Try) error {
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	w.SetEscapeHTML(false)
	err := w.Encode(p.Head)
	for i := range p.Steps {
		err = errors.Join(err, w.Encode(&p.Steps[i]))
	}
	if err != nil {
		return err
	}
	path := planPath(t, p.Number, p.State)
	if err := try.Replace(path, b.Bytes()); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	return err
}

// Plans returns the plans of a try by number. Those that were taken back come without
// steps.
func Plans(t *try.Try) (plans []*Plan, err error) {
	entries, err := os.ReadDir(t.Path(try.LandingDir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		words := strings.Split(e.Name(), ".")
		// The folder also has what plans keep, and files that were not renamed yet.
		if len(words) != 3 || words[2] != "jsonl" || !State(words[1]).known() {
			continue
		}
		n, err := strconv.Atoi(words[0])
		if err != nil || n < 1 {
			continue
		}
		p := &Plan{State: State(words[1])}
		p.Number = n
		if p.State != Undone {
			if err := p.load(t); err != nil {
				return nil, fmt.Errorf("%s: %w", planPath(t, n, p.State), err)
			}
		}
		plans = append(plans, p)
	}
	slices.SortFunc(plans, func(a, b *Plan) int { return a.Number - b.Number })
	return plans, err
}

// load reads the steps of the plan.
func (p *Plan) load(t *try.Try) error {
	text, err := safefile.Read(planPath(t, p.Number, p.State), 4<<30)
	if err != nil {
		return err
	}
	q, err := Decode(text, len(t.Covers))
	if err != nil {
		return err
	}
	if q.Number != p.Number {
		return fmt.Errorf("number %d", q.Number)
	}
	q.State = p.State
	*p = *q
	return nil
}

// Decode reads a plan of a try that has a number of covers. A path that leads out of a
// step's folder is an error.
func Decode(text []byte, covers int) (*Plan, error) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 16<<20)
	p := &Plan{}
	for n := 0; lines.Scan(); n++ {
		if n == 0 {
			if err := json.Unmarshal(lines.Bytes(), &p.Head); err != nil {
				return nil, fmt.Errorf("line 1: %w", err)
			}
			if len(p.Areas) != covers || slices.ContainsFunc(p.Areas,
				func(a tree.Name) bool { return !filepath.IsAbs(string(a)) }) {
				return nil, errors.New("line 1: want an area for each cover")
			}
			continue
		}
		var s Step
		err := json.Unmarshal(lines.Bytes(), &s)
		if err == nil {
			err = s.check(covers)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		p.Steps = append(p.Steps, s)
	}
	if lines.Err() == nil && p.Number < 1 {
		return nil, errors.New("empty")
	}
	return p, lines.Err()
}

// check returns an error for a step that no plan of ours can have.
func (s *Step) check(covers int) error {
	rename := s.Kind == Make || s.Kind == Replace || s.Kind == Remove
	switch {
	case s.Cover < 0 || s.Cover >= covers:
		return fmt.Errorf("cover %d of %d", s.Cover, covers)
	case !manifest.Inside(string(s.Path)) || rename &&
		(s.Path == "." || !manifest.Inside(string(s.Slot))):
		return fmt.Errorf("%q: no path in a folder", s.Path)
	case s.Link != "" && !manifest.Inside(string(s.Link)):
		return fmt.Errorf("%q: no path in a folder", s.Link)
	case (s.Kind == Replace || s.Kind == Remove || s.Kind == Attrs) && s.Before == nil,
		(s.Kind == Make || s.Kind == Replace || s.Kind == Folder || s.Kind == Attrs) &&
			s.After == nil:
		return fmt.Errorf("%q: a file is missing", s.Path)
	case !rename && s.Kind != Folder && s.Kind != Attrs:
		return fmt.Errorf("kind %q", s.Kind)
	}
	return nil
}
