//go:build linux

package landing

import (
	"errors"

	"golang.org/x/sys/unix"
)

// exchange has the path and the slot change places in one step. Where the file system has
// no RENAME_EXCHANGE (rename(2)), three renames do it, and finishSwap finishes those that
// a kill has cut.
func (l *lander) exchange(s *Step) error {
	real, slot, swap := l.real(s), l.slot(s), l.areas[s.Cover].At(swapName)
	err := slot.Rename(real, unix.RENAME_EXCHANGE)
	if !errors.Is(err, unix.EINVAL) {
		return err
	}
	old, err := real.Lstat()
	if err != nil || old == nil {
		return errors.Join(err, unix.ENOENT)
	}
	if err := real.Rename(swap, 0); err != nil {
		return err
	}
	l.swaps[s.Cover] = old
	return l.finishSwap(s)
}

// swapName is the name, in an area, of the old file during an exchange by renames.
const swapName = "swap"

// finishSwap finishes an exchange by renames if the one that was cut is this step's.
func (l *lander) finishSwap(s *Step) error {
	old := l.swaps[s.Cover]
	if old == nil || s.Kind != Replace || old.Ino != s.Before.Ino && old.Ino != s.After.Ino {
		return nil
	}
	real, slot, swap := l.real(s), l.slot(s), l.areas[s.Cover].At(swapName)
	now, err := real.Lstat()
	if err != nil {
		return err
	}
	if now == nil {
		if err := slot.Rename(real, 0); err != nil {
			return err
		}
	}
	l.swaps[s.Cover] = nil
	return swap.Rename(slot, 0)
}
