package proxy

// HTTP/1 is parsed and written by hand here. The server of net/http with ReverseProxy was
// tried and fails TestSmuggling and TestRefused. It drops a Content-Length beside a
// Transfer-Encoding, joins two equal ones, replaces a Host that differs from the request
// line, and accepts lines that end in LF alone and a Connection that names the framing,
// all before our code sees the request. Its status line also has no room for the reason
// of a refusal, which is all that many clients show.

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// A head is the first line and the header fields of an HTTP/1 message (RFC 9112).
// Whatever two readers could understand differently is an error, so that nothing can be
// smuggled past the reader who judges.
type head struct {
	first  [3]string // method, target, version; or version, status, phrase
	fields []field
}

type field struct{ name, value string }

var (
	// Why a head is refused.
	errHeadSize = errors.New("the head is larger than 64 KiB")
	errNotHTTP  = errors.New("not HTTP/1")
	errBareLF   = errors.New("a line of the head does not end in CR LF")
	errField    = errors.New("a malformed header field")
)

// readRequest reads the head of a request.
func readRequest(r *bufio.Reader) (*head, error) {
	h, err := readHead(r, false)
	if err != nil {
		return nil, err
	}
	method, version := h.first[0], h.first[2]
	if !isToken(method) || len(method) > 32 || !isVisible(h.first[1]) ||
		(version != "HTTP/1.1" && version != "HTTP/1.0") {
		return nil, errNotHTTP
	}
	return h, nil
}

// readResponse reads the head of a response and its status.
func readResponse(r *bufio.Reader) (*head, int, error) {
	h, err := readHead(r, true)
	if err != nil {
		return nil, 0, err
	}
	status, err := strconv.Atoi(h.first[1])
	if err != nil || status < 100 || status > 999 || !strings.HasPrefix(h.first[0], "HTTP/1.") {
		return nil, 0, errNotHTTP
	}
	return h, status, nil
}

// readHead reads to the empty line. With lenient, lines may end in LF alone, as some
// servers write them.
func readHead(r *bufio.Reader, lenient bool) (*head, error) {
	h, budget := &head{}, maxHead
	line, err := readLine(r, &budget, lenient)
	if err != nil {
		return nil, err
	}
	var ok bool
	rest := ""
	if h.first[0], rest, ok = strings.Cut(line, " "); !ok {
		return nil, errNotHTTP
	}
	h.first[1], h.first[2], _ = strings.Cut(rest, " ")
	for {
		line, err = readLine(r, &budget, lenient)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		if line == "" {
			return h, nil
		}
		name, value, ok := strings.Cut(line, ":")
		value = strings.Trim(value, " \t")
		// A name with a space before the colon, or a folded line, is no token (RFC 9112,
		// section 5).
		if !ok || !isToken(name) || !isText(value) {
			return nil, errField
		}
		h.fields = append(h.fields, field{name, value})
	}
}

// readLine reads a line without its end, and subtracts its length from the budget.
func readLine(r *bufio.Reader, budget *int, lenient bool) (string, error) {
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
	if !ok && lenient {
		text, ok = strings.CutSuffix(text, "\n")
	}
	if !ok {
		return "", errBareLF
	}
	return text, nil
}

// get returns the value of the field. ok is false if there is none, and err says that
// there is more than one.
func (h *head) get(name string) (value string, ok bool, err error) {
	for _, f := range h.fields {
		if !strings.EqualFold(f.name, name) {
			continue
		}
		if ok {
			return "", true, fmt.Errorf("more than one %s field", name)
		}
		value, ok = f.value, true
	}
	return value, ok, nil
}

// A framing says how long a body is.
type framing struct {
	chunked bool
	length  int64
}

// framing reads the framing from the fields of a request (RFC 9112, section 6). It
// accepts only one plain Content-Length or one plain "chunked".
func (h *head) framing() (framing, error) {
	coding, chunked, err := h.get("Transfer-Encoding")
	if err != nil {
		return framing{}, err
	}
	text, sized, err := h.get("Content-Length")
	if err != nil {
		return framing{}, err
	}
	switch {
	// The combination is the classic way to smuggle a request (RFC 9112, section 6.1).
	case chunked && sized:
		return framing{}, errors.New("both Content-Length and Transfer-Encoding")
	case chunked && h.first[2] != "HTTP/1.1":
		return framing{}, errors.New("Transfer-Encoding in HTTP/1.0")
	case chunked && !strings.EqualFold(coding, "chunked"):
		return framing{}, errors.New("a Transfer-Encoding other than chunked")
	case chunked:
		return framing{chunked: true}, nil
	case !sized:
		return framing{}, nil
	}
	// Digits alone, since some readers accept signs or lists.
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || text[0] == '+' {
		return framing{}, errors.New("a malformed Content-Length")
	}
	return framing{length: int64(n)}, nil
}

// hop reports whether a field is meant for the next hop only (RFC 9110, section 7.6.1).
func hop(name string) bool {
	switch strings.ToLower(name) {
	case "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization",
		"te", "trailer", "transfer-encoding", "upgrade":
		return true
	}
	return false
}

// endToEnd returns the fields for the other side: neither those of one hop nor those that
// Connection names. Naming a field there on which the meaning of the message depends is
// an error.
func (h *head) endToEnd() (fields []field, err error) {
	named := map[string]bool{}
	for _, f := range h.fields {
		if strings.EqualFold(f.name, "Connection") {
			for option := range strings.SplitSeq(f.value, ",") {
				named[strings.ToLower(strings.Trim(option, " \t"))] = true
			}
		}
	}
	for _, vital := range []string{"host", "content-length", "transfer-encoding"} {
		if named[vital] {
			return nil, fmt.Errorf("the field Connection names %s", vital)
		}
	}
	for _, f := range h.fields {
		if !hop(f.name) && !named[strings.ToLower(f.name)] {
			fields = append(fields, f)
		}
	}
	return fields, nil
}

// headBytes returns the bytes of a head.
func headBytes(first string, fields []field) []byte {
	b := []byte(first + "\r\n")
	for _, f := range fields {
		b = append(append(append(append(b, f.name...), ": "...), f.value...), "\r\n"...)
	}
	return append(b, "\r\n"...)
}

// isToken reports whether s is a token (RFC 9110 §5.6.2).
func isToken(s string) bool {
	for _, c := range []byte(s) {
		alnum := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !alnum && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// isVisible reports whether s is printable ASCII without space.
func isVisible(s string) bool {
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f {
			return false
		}
	}
	return s != ""
}

// isText reports whether s has no control characters except tabs.
func isText(s string) bool {
	for _, c := range []byte(s) {
		if (c < ' ' && c != '\t') || c == 0x7f {
			return false
		}
	}
	return true
}
