//go:build linux

package landing

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/regular"
)

// An announced area is one that may exist although no plan needs it. It is noted before
// it is made, and again when all in it is safe elsewhere.
type announced struct {
	Area  tree.Name  `json:"area"`
	Cover int        `json:"cover"`
	Mtime tree.Stamp `json:"mtime"` // what its folder gets when the area is gone
}

// announcedFile is the name of the file with the announced areas.
const announcedFile = "areas.json"

// announce notes which areas a plan has in covers, and the covers' times as they are now.
func (l *lander) announce(p *Plan) (list []announced, err error) {
	for i := range p.Areas {
		if !l.staged(p, i) {
			continue
		}
		r, err := holder(l.t, i, p.Areas[i])
		if err != nil {
			return nil, err
		}
		f, err := r.At(".").Lstat()
		r.Close()
		if err != nil {
			return nil, err
		}
		list = append(list, announced{p.Areas[i], i, f.Mtime})
	}
	if len(list) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	return list, try.Replace(announcedPath(l.t), text)
}

// announcedPath returns the path of the announcement of a try.
func announcedPath(t *try.Try) string {
	return filepath.Join(t.Path(try.LandingDir), announcedFile)
}

// end gives a plan its last state and removes its areas. After a kill, Sweep does the
// rest.
func (l *lander) end(p *Plan, state State) error {
	list, err := l.announce(p)
	if err != nil && !errors.Is(err, unix.ENOSPC) && !errors.Is(err, unix.EDQUOT) {
		return err
	}
	if err := p.to(l.t, state); err != nil {
		return err
	}
	return removeAreas(l.t, list)
}

// Sweep removes areas that a killed landing has left: one that was killed before it had a
// plan, or after its plan was done.
func Sweep(t *try.Try) error {
	text, err := regular.Read(announcedPath(t), 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	plans, err := Plans(t)
	if err != nil || Underway(plans) { // the areas are in use
		return err
	}
	var list []announced
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("%s: %w", announcedPath(t), err)
	}
	for _, a := range list {
		// A broken or forged file must not have another folder removed.
		if a.Cover < 0 || a.Cover >= len(t.Covers) ||
			a.Area != areaIn(t, a.Cover) && a.Area != areaBeside(t, a.Cover) {
			return fmt.Errorf("%s: %q is no area", announcedPath(t), string(a.Area))
		}
	}
	return removeAreas(t, list)
}

// removeAreas removes areas, gives the folders that held them their times back, and then
// removes the announcement.
func removeAreas(t *try.Try, list []announced) error {
	for _, a := range list {
		r, err := holder(t, a.Cover, a.Area)
		if err != nil {
			return err
		}
		err = r.At(filepath.Base(string(a.Area))).RemoveAll()
		r.Settle()
		dir, e := r.At(".").Lstat()
		if err = errors.Join(err, e); err == nil {
			if err = r.At(".").SetMtime(a.Mtime); anothers(dir, err) {
				err = nil
			}
		}
		if r.Close(); err != nil {
			return err
		}
	}
	if err := os.Remove(announcedPath(t)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
