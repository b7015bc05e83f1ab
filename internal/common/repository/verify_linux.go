package repository

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// errObject and errTable are the errors for what would have git take one object for another.
var (
	errObject = errors.New("an object whose content has another hash")
	errTable  = errors.New("not the table that git makes of its pack")
)

// Verify returns an error if what r holds is not the loose object of that name
// (gitformat-loose(5)): git reads most of them without a look at their hash.
func Verify(r io.Reader, name string) error {
	from := bufio.NewReader(r)
	z, err := zlib.NewReader(from)
	if err != nil {
		return errObject
	}
	var sum hash.Hash = sha1.New()
	if len(name) == 64 {
		sum = sha256.New()
	}
	text := bufio.NewReader(io.TeeReader(z, sum))
	head, err := text.ReadString(0)
	if err != nil {
		return errObject
	}
	kind, size, _ := strings.Cut(strings.TrimSuffix(head, "\x00"), " ")
	want, err := strconv.ParseInt(size, 10, 64)
	n, err2 := io.Copy(io.Discard, text)
	_, rest := from.ReadByte()
	known := kind == "blob" || kind == "tree" || kind == "commit" || kind == "tag"
	if err != nil || err2 != nil || n != want || rest != io.EOF || !known ||
		hex.EncodeToString(sum.Sum(nil)) != name {
		return errObject
	}
	return nil
}

// VerifyPack returns an error if the pack in a folder is broken, or the .idx beside it is not
// what this git makes of it: by a forged one git finds other objects under the names of
// those that it knows. stem is their name without the suffix. Nobody else writes in the
// folder, which also gets git's own table.
func VerifyPack(git string, dir *Folder, stem string) error {
	format := "sha1"
	if len(strings.TrimPrefix(path.Base(stem), "pack-")) == 64 {
		format = "sha256"
	}
	fresh := stem + ".own.idx"
	if _, err := Outside(git, dir, "index-pack", "--object-format="+format, "--no-rev-index", "-o",
		"/proc/self/fd/3/"+fresh, "/proc/self/fd/3/"+stem+".pack"); err != nil {
		return err
	}
	defer unix.Unlinkat(dir.fd, fresh, 0)
	want, err := dir.File(fresh)
	if err != nil {
		return err
	}
	defer want.Close()
	had, err := dir.File(stem + ".idx")
	if err != nil {
		return err
	}
	defer had.Close()
	a, b := bufio.NewReader(want), bufio.NewReader(had)
	for {
		x, err := a.ReadByte()
		y, err2 := b.ReadByte()
		switch {
		case x != y || err != err2:
			return errTable
		case err != nil:
			return nil
		}
	}
}

// Outside runs git, with the folder as descriptor 3, outside of every repository and without
// settings of anybody. The error is what git says first.
func Outside(git string, dir *Folder, args ...string) (said []byte, err error) {
	fd, err := unix.FcntlInt(uintptr(dir.fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "folder")
	defer f.Close()
	cmd := exec.Command(git, args...)
	cmd.Dir, cmd.ExtraFiles = "/", []*os.File{f}
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CEILING_DIRECTORIES=/", "GIT_DIR=/dev/null"}
	said, err = cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) && len(failed.Stderr) > 0 {
		line, _, _ := bytes.Cut(failed.Stderr, []byte("\n"))
		err = fmt.Errorf("git: %s", line)
	}
	return said, err
}
