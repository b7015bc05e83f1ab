//go:build linux

package main_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// Chromium shows pages as CAVEATS in ua-sandbox(1) says it does, those of a listed host
// included.
func TestChromium(t *testing.T) {
	scripttest.Need(t, "chromium")
	const chromium = `chromium --headless --no-sandbox --user-data-dir=$TMPDIR/c --dump-dom `
	eachUser(t, func(t *testing.T, o *outside) {
		out, err := o.inside(`echo "<p>from a file" >p.html; ` + chromium + `file://$PWD/p.html`)
		if err != nil || !strings.Contains(out, "<p>from a file") {
			t.Errorf("a file: %v\n%s", err, out)
		}
		l, err := net.Listen("tcp", "127.0.0.1:80")
		if err != nil {
			t.Logf("SKIPPED: a page of a listed host: %v", err)
			return
		}
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "<p>hello from ", r.Host)
		})}
		go s.Serve(l)
		defer s.Close()
		out, err = o.inside(chromium+`--no-proxy-server http://host.internal/`,
			"--net-allow", "host.internal", "--net-capture")
		if err != nil || !strings.Contains(out, "<p>hello from host.internal") {
			t.Errorf("a listed host: %v\n%s", err, out)
		}
	})
}
