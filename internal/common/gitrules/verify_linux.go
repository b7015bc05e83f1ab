package gitrules

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
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/tree"
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
// folder.
func VerifyPack(git string, dir *tree.Root, stem string) error {
	fresh := stem + ".own.idx"
	if _, err := indexPack(git, dir, stem, stem+".pack", fresh); err != nil {
		return err
	}
	defer dir.At(fresh).Unlink()
	want, err := sumOf(dir.At(fresh))
	had, err2 := sumOf(dir.At(stem + ".idx"))
	if err = errors.Join(err, err2); err == nil && want != had {
		err = errTable
	}
	return err
}

// sumOf returns the hash of a file.
func sumOf(p tree.Place) (sum [sha256.Size]byte, err error) {
	f, err := p.Open()
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return [sha256.Size]byte(h.Sum(nil)), err
}

// indexPack has git read all objects of a pack in a folder and make a table of them
// (git-index-pack(1)), and returns the pack's hash. stem is the name that git gave the pack.
func indexPack(git string, dir *tree.Root, stem, pack, index string) (hash string, err error) {
	format := "sha1"
	if len(stem[strings.LastIndexByte(stem, '-')+1:]) == 64 {
		format = "sha256"
	}
	const at = "/proc/self/fd/3/"
	said, err := outside(git, dir, "index-pack", "--object-format="+format, "--no-rev-index", "-o",
		at+index, at+pack)
	return strings.TrimSpace(string(said)), err
}

// outside runs git, with the folder as descriptor 3, outside of every repository and without
// settings of anybody. The error is what git says first.
func outside(git string, dir *tree.Root, args ...string) (said []byte, err error) {
	fd, err := unix.FcntlInt(uintptr(dir.FD()), unix.F_DUPFD_CLOEXEC, 3)
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
