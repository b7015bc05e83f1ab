package main

import (
	"encoding/binary"
	"errors"
)

// A wire carries values between the stages, which are one binary: numbers and
// counted strings, without names. It is a twentieth of what JSON costs at a
// start. One walk over a value's fields both packs and unpacks them.
type wire struct {
	buf    []byte
	unpack bool
	err    error
}

var errCut = errors.New("control: a message is cut")

// num carries a number.
func num[T ~int | ~uint32 | ~uint64 | ~uintptr | ~uint16](w *wire, v *T) {
	if !w.unpack {
		w.buf = binary.AppendUvarint(w.buf, uint64(*v))
		return
	}
	n, size := binary.Uvarint(w.buf)
	if size <= 0 {
		w.buf, w.err = nil, errCut
		return
	}
	*v, w.buf = T(n), w.buf[size:]
}

// flag carries a bool.
func (w *wire) flag(v *bool) {
	n := 0
	if *v {
		n = 1
	}
	num(w, &n)
	*v = n == 1
}

// str carries a string.
func str[T ~string](w *wire, v *T) {
	n := len(*v)
	num(w, &n)
	if !w.unpack {
		w.buf = append(w.buf, *v...)
		return
	}
	if n < 0 || n > len(w.buf) {
		w.buf, w.err = nil, errCut
		return
	}
	*v, w.buf = T(w.buf[:n]), w.buf[n:]
}

// list carries a list of values.
func list[T any](w *wire, v *[]T, each func(*wire, *T)) {
	n := len(*v)
	num(w, &n)
	if w.unpack {
		if n < 0 || n > len(w.buf) {
			w.buf, w.err = nil, errCut
			return
		}
		*v = make([]T, n)
	}
	for i := range *v {
		each(w, &(*v)[i])
	}
}

// pack is the bytes that walk carries.
func pack(walk func(*wire)) []byte {
	w := wire{}
	walk(&w)
	return w.buf
}

// unpack has walk take its values from bytes.
func unpack(buf []byte, walk func(*wire)) error {
	w := wire{buf: buf, unpack: true}
	walk(&w)
	if w.err == nil && len(w.buf) > 0 {
		return errCut
	}
	return w.err
}
