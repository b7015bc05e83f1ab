package proxy

// net/http reads a request kindly: it drops a Content-Length beside a Transfer-Encoding, joins
// two equal ones, takes a Host that differs from the request line and lines that end in LF
// alone. What a judge reads must have one meaning, so the head is read here, and only bodies,
// responses and what goes out are net/http's.

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A head is the first line and the header fields of an HTTP/1 request (RFC 9112).
// Whatever two readers could understand differently is an error, so that nothing can be
// smuggled past the reader who judges.
type head struct {
	method, target, version string
	fields                  http.Header
	length                  int64 // of the body, -1 for chunks
}

var (
	// Why a head is refused.
	errHeadSize = errors.New("the head is larger than 64 KiB")
	errNotHTTP  = errors.New("not HTTP/1")
	errBareLF   = errors.New("a line of the head does not end in CR LF")
	errField    = errors.New("a malformed header field")
)

// readHead reads to the empty line.
func readHead(r *bufio.Reader) (*head, error) {
	budget := maxHead
	line, err := readLine(r, &budget)
	if err != nil {
		return nil, err
	}
	word := strings.Split(line, " ")
	if len(word) != 3 || len(word[0]) > 32 || !isToken(word[0]) ||
		!isVisible(word[1]) || word[2] != "HTTP/1.1" && word[2] != "HTTP/1.0" {
		return nil, errNotHTTP
	}
	h := &head{method: word[0], target: word[1], version: word[2], fields: http.Header{}}
	for {
		line, err = readLine(r, &budget)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		if line == "" {
			return h, h.judgeFraming()
		}
		name, value, ok := strings.Cut(line, ":")
		value = strings.Trim(value, " \t")
		// A name with a space before the colon, or a folded line, is no token (RFC 9112,
		// section 5).
		if !ok || !isToken(name) || !isText(value) {
			return nil, errField
		}
		h.fields.Add(name, value)
	}
}

// readLine reads a line without its end, and subtracts its length from the budget.
func readLine(r *bufio.Reader, budget *int) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		// A line without end must not fill the memory.
		if *budget -= len(part); *budget < 0 {
			return "", errHeadSize
		}
		line = append(line, part...)
		if err == bufio.ErrBufferFull {
			continue
		}
		if err == io.EOF && len(line) > 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return "", err
		}
		break
	}
	text, ok := strings.CutSuffix(string(line), "\r\n")
	if !ok {
		return "", errBareLF
	}
	return text, nil
}

// judgeFraming reads how long the body is (RFC 9112, section 6). It accepts only one plain
// Content-Length or one plain "chunked".
func (h *head) judgeFraming() error {
	for _, name := range []string{"Host", "Content-Length", "Transfer-Encoding"} {
		if len(h.fields[name]) > 1 {
			return fmt.Errorf("more than one %s field", name)
		}
		if slices.Contains(connectionNames(h.fields), name) {
			return fmt.Errorf("the field Connection names %s", strings.ToLower(name))
		}
	}
	coding, length := h.fields["Transfer-Encoding"], h.fields["Content-Length"]
	switch {
	// The combination is the classic way to smuggle a request (RFC 9112, section 6.1).
	case coding != nil && length != nil:
		return errors.New("both Content-Length and Transfer-Encoding")
	case coding != nil && h.version != "HTTP/1.1":
		return errors.New("Transfer-Encoding in HTTP/1.0")
	case coding != nil && !strings.EqualFold(coding[0], "chunked"):
		return errors.New("a Transfer-Encoding other than chunked")
	case coding != nil:
		h.length = -1
	case length != nil:
		// Digits alone, since some readers accept signs or lists.
		n, err := strconv.ParseUint(length[0], 10, 63)
		if err != nil {
			return errors.New("a malformed Content-Length")
		}
		h.length = int64(n)
	}
	return nil
}

// sameHost returns an error if there is a field Host that names another host or port.
func (h *head) sameHost(want host, port, otherwise uint16) error {
	if h.fields["Host"] == nil {
		return nil
	}
	got, gotPort, err := parseHostPort(h.fields.Get("Host"), otherwise)
	if err != nil {
		return fmt.Errorf("the field Host: %w", err)
	}
	if got != want || gotPort != port {
		return errors.New("the field Host and the request line name different hosts")
	}
	return nil
}

// credentials returns the user:password in Proxy-Authorization (RFC 7617), or "".
func (h *head) credentials() string {
	r := http.Request{Header: http.Header{"Authorization": h.fields["Proxy-Authorization"]}}
	user, password, ok := r.BasicAuth()
	if !ok || len(h.fields["Proxy-Authorization"]) > 1 {
		return ""
	}
	return user + ":" + password
}

// hopFields are meant for the next hop only (RFC 9110, section 7.6.1).
var hopFields = []string{"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate",
	"Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// connectionNames returns the fields that Connection names.
func connectionNames(fields http.Header) (names []string) {
	for name := range strings.SplitSeq(strings.Join(fields["Connection"], ","), ",") {
		names = append(names, http.CanonicalHeaderKey(strings.Trim(name, " \t")))
	}
	return names
}

// endToEnd removes the fields of one hop, and those that Connection names.
func endToEnd(fields http.Header) {
	for _, name := range append(connectionNames(fields), hopFields...) {
		fields.Del(name)
	}
}

// isToken reports whether s is a token (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// isText reports whether s has no control characters except tabs.
func isText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// isVisible reports whether s is printable ASCII without space.
func isVisible(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}
