package proxy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// errChunk is the error for a chunked body that cannot be read in only one way.
var errChunk = errors.New("a malformed chunk")

// copyBody sends the body of a request with new framing. Of a chunked body only sizes and
// data pass, no extensions and no trailers, so that the server reads what was read here.
// It returns the number of bytes written.
func copyBody(w io.Writer, r *bufio.Reader, f framing) (n int64, err error) {
	if !f.chunked {
		return copyExactly(w, r, f.length)
	}
	for {
		size, err := chunkSize(r)
		if err != nil {
			return n, err
		}
		line := strconv.FormatInt(size, 16) + "\r\n"
		if size == 0 {
			if err = skipTrailer(r); err != nil {
				return n, err
			}
			m, err := io.WriteString(w, line+"\r\n")
			return n + int64(m), err
		}
		m, err := io.WriteString(w, line)
		n += int64(m)
		if err != nil {
			return n, err
		}
		data, err := copyExactly(w, r, size)
		n += data
		if err != nil {
			return n, err
		}
		// The data of a chunk ends with CR LF, which the size does not count.
		if end, _ := r.Peek(2); string(end) != "\r\n" {
			return n, errChunk
		}
		r.Discard(2)
		m, err = io.WriteString(w, "\r\n")
		n += int64(m)
		if err != nil {
			return n, err
		}
	}
}

// copyExactly copies n bytes. Fewer are io.ErrUnexpectedEOF.
func copyExactly(w io.Writer, r io.Reader, n int64) (int64, error) {
	done, err := io.CopyN(w, r, n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return done, err
}

// chunkSize reads the line in front of a chunk's data (RFC 9112, section 7.1). Extensions
// are dropped.
func chunkSize(r *bufio.Reader) (int64, error) {
	budget := maxTrailer
	line, err := readLine(r, &budget, false)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errChunk, err)
	}
	digits, extension, _ := strings.Cut(line, ";")
	if !isText(extension) || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return 0, errChunk
	}
	size, err := strconv.ParseInt(digits, 16, 63)
	if err != nil {
		return 0, errChunk
	}
	return size, nil
}

// skipTrailer reads to the empty line after the last chunk.
func skipTrailer(r *bufio.Reader) error {
	budget := maxTrailer
	for {
		line, err := readLine(r, &budget, false)
		if err != nil {
			return fmt.Errorf("%w: %w", errChunk, err)
		}
		if line == "" {
			return nil
		}
	}
}
