package main

import (
	"os"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// fullDisk runs, with file systems of a few megabytes of its own, a try whose
// changes do not fit, an apply that does not, and then both with room.
const fullDisk = `set -e
mkdir st w && mount -t tmpfs -o size=1m none st && export HOME=$PWD XDG_STATE_HOME=$PWD/st
cd w && echo old >old
ua-try --quiet -- sh -c 'head -c 3000000 /dev/zero >big || echo full; echo new >old' 2>&1 || :
cat old && ls && ua-try drop && umount ../st
mount -t tmpfs -o size=1m none . && cd ../w && echo old >old
ua-try --quiet -- sh -c 'head -c 3000000 /dev/zero >big; echo new >old'
ua-try apply 2>/dev/null || echo "not applied: $?"
cat old && ls -A
mount -o remount,size=9m . && ua-try apply 2>/dev/null && cat old && stat -c %s big
ua-try undo 2>/dev/null && cat old && ls -A`

// fullLanding lands over two small file systems: what is replaced does not fit into
// the try's, and then what is put back not into the folder's.
const fullLanding = `set -e
mkdir st w && mount -t tmpfs -o size=1m none st && mount -t tmpfs -o size=9m none w
export HOME=$PWD XDG_STATE_HOME=$PWD/st && cd w
head -c 3000000 /dev/zero | tr '\0' x >big; echo old >old; cksum <big >../sum
ua-try --quiet -- sh -c 'echo new >old; rm big; echo small >big'
ua-try apply 2>/dev/null || echo "not applied: $?"
cat old && cksum <big | cmp - ../sum && ls -A
mount -o remount,size=9m ../st && ua-try apply 2>/dev/null && cat old big
head -c 7000000 /dev/zero >filler
ua-try undo 2>/dev/null || echo "not taken back: $?"
cat old big && ls -A && rm filler
ua-try undo 2>/dev/null && cat old && cksum <big | cmp - ../sum && ls -A`

// fullRecord runs tries on a disk that they fill: one that left no room for its record is
// not one that succeeded, and what it changed can be shown and dropped.
const fullRecord = `set -e
mkdir st w && mount -t tmpfs -o size=1m none st && export HOME=$PWD XDG_STATE_HOME=$PWD/st
cd w
ua-try --quiet -- sh -c 'head -c 3000000 /dev/zero >big; exit 0' 2>/dev/null || echo "ended: $?"
ua-try diff --name-status && ua-try drop
ua-try --quiet -- sh -c 'head -c 3000000 /dev/zero >big; exit 7' 2>/dev/null || echo "ended: $?"`

// A full disk in a run, in an apply and in an undo is told and loses nothing.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		scripttest.Skip(t, scripttest.Elsewhere, "only root can make a small file system")
	}
	for _, c := range []struct{ script, want string }{
		{fullDisk, "old\nold\nnot applied: 2\nold\nold\nnew\n3000000\nold\nold\n"},
		{fullRecord, "ended: 2\nA\tbig\nended: 7\n"},
		{fullLanding, "not applied: 2\nold\nbig\nold\nnew\nsmall\n" +
			"not taken back: 2\nnew\nsmall\nbig\nfiller\nold\nold\nbig\nold\n"},
	} {
		b := newBench(t, 0)
		out, err := b.run(b.dir+"/home", nil, "/usr/bin/unshare", "-m", "/bin/sh", "-c", c.script)
		if !strings.HasSuffix(out, c.want) || err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
