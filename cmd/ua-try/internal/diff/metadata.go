//go:build linux

package diff

import (
	"bytes"
	"fmt"

	"ua/internal/common/tree"
)

// Notes returns what git does not say of a change, one line for each thing.
func Notes(c *Change) (lines []string) {
	say := func(format string, a ...any) { lines = append(lines, fmt.Sprintf(format, a...)) }
	switch {
	case c.Before == nil:
		if c.Link != "" {
			say("another link to %s", c.Link)
		}
		if c.After.Type != tree.Regular && c.After.Type != tree.Symlink {
			say("new %s, mode %04o", c.After.Type, uint32(c.After.Mode))
			// git keeps of a mode only whether the file can be run.
		} else if c.After.Mode&^0o111 != 0o644 && c.After.Type == tree.Regular {
			say("mode %04o", uint32(c.After.Mode))
		}
		return lines
	case c.After == nil:
		if c.Before.Type != tree.Regular && c.Before.Type != tree.Symlink {
			say("%s deleted", c.Before.Type)
		}
		return lines
	case c.Before.Type != c.After.Type:
		say("%s becomes %s", c.Before.Type, c.After.Type)
	}
	if c.Before.Mode != c.After.Mode && c.After.Type != tree.Symlink {
		say("mode %04o -> %04o", uint32(c.Before.Mode), uint32(c.After.Mode))
	}
	if c.Before.UID != c.After.UID || c.Before.GID != c.After.GID {
		say("owner %d:%d -> %d:%d", c.Before.UID, c.Before.GID, c.After.UID, c.After.GID)
	}
	for _, name := range attributes(c) {
		say("attribute %s changed", name)
	}
	return lines
}

// attributes returns the names of the extended attributes in which both sides differ.
func attributes(c *Change) (names []string) {
	a, err1 := c.Old.Attributes()
	b, err2 := c.New.Attributes()
	if err1 != nil || err2 != nil {
		return nil
	}
	for name, value := range a {
		if other, ok := b[name]; !ok || !bytes.Equal(value, other) {
			names = append(names, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}
