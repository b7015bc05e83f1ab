package shipping

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path"
	"strconv"
	"strings"
	"syscall"

	"ua/internal/common/config"
	"ua/internal/common/prog"
)

// A curl asks a server by curl(1), which knows TLS, proxies and signatures.
type curl struct {
	program string
	base    *url.URL
	options string // for curl's --config, with what is secret
	signed  bool   // as for S3, whose signature needs the hash of the body
}

// newCurl returns a curl for places below a URL. Neither the user's ~/.curlrc nor a redirect
// leads a credential elsewhere.
func newCurl(base *url.URL, options string) (*curl, error) {
	program, err := config.LookOutside("curl")
	if err != nil {
		return nil, prog.Errorf(prog.NotFound, "%v", err)
	}
	base.Path = strings.TrimSuffix(base.Path, "/")
	return &curl{program: program, base: base, options: options}, nil
}

// header returns a line of curl's --config.
func header(name, value string) string { return option("header", name+": "+value) }

// option returns a line of curl's --config (curl(1), --config).
func option(name, value string) string {
	return name + ` = "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`).
		Replace(value) + "\"\n"
}

// A reply is what a server has answered.
type reply struct {
	status int
	size   int64  // Content-Length
	etag   string // ETag
	body   []byte
}

// ok returns an error unless the status is one of those.
func (r reply) ok(what string, statuses ...int) error {
	for _, s := range statuses {
		if r.status == s {
			return nil
		}
	}
	status := prog.TryLater
	if r.status/100 == 4 && r.status != 409 && r.status != 412 && r.status != 429 {
		status = prog.Trouble
	}
	return prog.Errorf(status, "%s: the server answers %d", what, r.status)
}

// do sends a request; options are lines for it, and body is nil for none. The body is a file
// without a name, so that none is cut short when this process is killed, and sent all the same.
func (c *curl) do(method, name, options string, body []byte) (r reply, err error) {
	u := *c.base
	u.Path, u.RawPath = path.Join("/", u.Path, name), ""
	lines := c.options + options + option("url", u.String()) + option("proto", "=http,https") +
		option("write-out", "\n%{http_code} %header{content-length} %header{etag}")
	if c.signed {
		lines += header("X-Amz-Content-Sha256", fmt.Sprintf("%x", sha256.Sum256(body)))
	}
	if method == "HEAD" {
		lines += "head\noutput = \"/dev/null\"\n"
	} else {
		lines += option("request", method)
	}
	cmd := exec.Command(c.program, "-q", "-sS", "--connect-timeout", "30", "--speed-limit", "1",
		"--speed-time", "60", "-K", "-")
	if body != nil {
		file, err := os.CreateTemp("", "ua-ship-")
		if err != nil {
			return r, err
		}
		defer file.Close()
		if _, err := file.Write(body); err != nil {
			os.Remove(file.Name())
			return r, err
		}
		if err := os.Remove(file.Name()); err != nil {
			return r, err
		}
		file.Seek(0, io.SeekStart)
		cmd.ExtraFiles = []*os.File{file}
		lines += option("data-binary", "@/dev/fd/3") + header("Content-Type", "application/x-ndjson") +
			header("Expect", "")
	}
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(lines), &said
	cmd.SysProcAttr = prog.DieWithParent(&syscall.SysProcAttr{}, syscall.SIGKILL)
	out, err := cmd.Output()
	at := bytes.LastIndexByte(out, '\n')
	if err != nil || at < 0 {
		return r, prog.Errorf(prog.TryLater, "%s: %s", c.base.Redacted(),
			strings.TrimSpace(said.String()))
	}
	fields := append(strings.SplitN(string(out[at+1:]), " ", 3), "", "")
	r = reply{body: out[:at], etag: fields[2]}
	r.status, _ = strconv.Atoi(fields[0])
	r.size, _ = strconv.ParseInt(fields[1], 10, 64)
	return r, nil
}

// Size asks how long a file is.
func (c *curl) Size(name string) (int64, error) {
	r, err := c.head(name)
	return r.size, err
}

// head asks for a file without its content. One that is not there has size 0 and no ETag.
func (c *curl) head(name string) (reply, error) {
	r, err := c.do("HEAD", name, "", nil)
	if err != nil || r.status == 404 {
		return reply{}, err
	}
	return r, r.ok(name, 200)
}

// Read gets a part of a file. A server may answer with all of it (RFC 9110, 14.2).
func (c *curl) Read(name string, from, to int64) ([]byte, error) {
	if from == to {
		return nil, nil
	}
	r, err := c.do("GET", name, option("range", fmt.Sprintf("%d-%d", from, to-1)), nil)
	if err != nil {
		return nil, err
	}
	if err := r.ok(name, 200, 206); err != nil {
		return nil, err
	}
	if r.status == 200 {
		r.body = r.body[min(from, int64(len(r.body))):min(to, int64(len(r.body)))]
	}
	return r.body, nil
}
