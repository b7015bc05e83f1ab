package verdict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// A Grant is what a person's yes lets one call do beyond its profile (ua-events(5)).
type Grant struct {
	Write []string `json:"write,omitempty"` // folders and files: absolute, without links
	Host  []string `json:"host,omitempty"`  // HOST or HOST:PORT
}

// maxGrants bounds what one call is granted of a kind.
const maxGrants = 16

// Empty reports whether nothing is granted.
func (g Grant) Empty() bool { return len(g.Write)+len(g.Host) == 0 }

// JSON returns the grant as the member of a verdict or question.
func (g Grant) JSON() []byte {
	text, _ := json.Marshal(g) // strings always can be
	return text
}

// ParseGrant reads that member. One that says anything that is not understood grants nothing,
// and is an error.
func ParseGrant(text []byte) (g Grant, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&g); err != nil {
		return Grant{}, errors.New("the grant can't be read")
	}
	for _, path := range g.Write {
		if !filepath.IsAbs(path) || filepath.Clean(path) != path || path == "/" {
			return Grant{}, fmt.Errorf("the grant names no folder: %q", path)
		}
	}
	for _, host := range g.Host {
		if host == "" || strings.HasPrefix(host, "-") || strings.ContainsAny(host, "*, /\\@") {
			return Grant{}, fmt.Errorf("the grant names no host: %q", host)
		}
	}
	if max(len(g.Write), len(g.Host)) > maxGrants {
		return Grant{}, errors.New("the grant is too long")
	}
	return g, nil
}
