package shipping

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"path"

	"ua/internal/common/prog"
)

// A dav is a folder on a web server that takes a PUT with Content-Range, as mod_dav of Apache
// does.
type dav struct{ *curl }

// newDAV returns the folder at a URL. A credential is in ~/.netrc or the environment, and goes
// without TLS to this machine only.
func newDAV(u *url.URL) (Archive, error) {
	if u.User != nil {
		return nil, prog.Errorf(prog.Trouble, "a user of a web server belongs into ~/.netrc")
	}
	host := u.Hostname()
	options := ""
	if u.Scheme == "https" || host == "localhost" || host == "127.0.0.1" || host == "::1" {
		options = "netrc-optional\n"
		if token := os.Getenv("UA_SHIP_TOKEN"); token != "" {
			options = header("Authorization", "Bearer "+token)
		}
	}
	c, err := newCurl(u, options)
	if err != nil {
		return nil, err
	}
	return dav{c}, nil
}

func (d dav) Write(name string, f io.ReaderAt, from, to int64) error {
	body := make([]byte, to-from)
	if _, err := f.ReadAt(body, from); err != nil {
		return err
	}
	where := header("Content-Range", fmt.Sprintf("bytes %d-%d/*", from, to-1))
	r, err := d.do("PUT", name, where, body)
	if err == nil && (r.status == 404 || r.status == 409) {
		if err := d.folders(path.Dir(name)); err != nil {
			return err
		}
		r, err = d.do("PUT", name, where, body)
	}
	if err != nil {
		return err
	}
	return r.ok(name, 200, 201, 204)
}

// folders makes a folder and those above it, up to that of the URL.
func (d dav) folders(name string) error {
	if name != "." {
		if err := d.folders(path.Dir(name)); err != nil {
			return err
		}
	}
	r, err := d.do("MKCOL", name, "", nil)
	if err != nil {
		return err
	}
	return r.ok(name, 201, 301, 405) // 405: it is there
}
