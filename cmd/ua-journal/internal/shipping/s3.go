package shipping

import (
	"cmp"
	"io"
	"net/url"
	"os"

	"ua/internal/common/prog"
)

// An s3 is a bucket, or what in one begins with a prefix. Objects can't grow: each time all of
// a journal replaces what was there, and only that.
type s3 struct{ *curl }

// newS3 returns the place at s3://BUCKET/PREFIX, with the variables of AWS's own programs.
func newS3(u *url.URL) (Archive, error) {
	id, key := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	if id == "" || key == "" {
		return nil, prog.Errorf(prog.Trouble,
			"s3: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set")
	}
	region := cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), "us-east-1")
	endpoint := cmp.Or(os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"),
		"https://s3."+region+".amazonaws.com")
	base, err := url.Parse(endpoint)
	if err != nil || base.User != nil {
		return nil, prog.Errorf(prog.Trouble, "AWS_ENDPOINT_URL is no URL without a user")
	}
	options := option("user", id+":"+key) + option("aws-sigv4", "aws:amz:"+region+":s3")
	if token := os.Getenv("AWS_SESSION_TOKEN"); token != "" {
		options += header("X-Amz-Security-Token", token)
	}
	c, err := newCurl(base.JoinPath(u.Host, u.Path), options)
	if err != nil {
		return nil, err
	}
	c.signed = true
	return s3{c}, nil
}

func (s s3) Write(name string, f io.ReaderAt, _, to int64) error {
	body := make([]byte, to)
	if _, err := f.ReadAt(body, 0); err != nil {
		return err
	}
	there, err := s.head(name)
	if err != nil || there.size >= to {
		return err
	}
	only := header("If-Match", there.etag)
	if there.etag == "" {
		only = header("If-None-Match", "*")
	}
	r, err := s.do("PUT", name, only, body)
	if err != nil {
		return err
	}
	return r.ok(name, 200)
}
