package control

import (
	"encoding/binary"
	"errors"
	"reflect"
)

// All stages are one binary, so values are sent without names: exported fields in order,
// numbers as varints, strings and lists with their length. At a start this costs a
// twentieth of JSON, and no field can be forgotten.

// errCut is the error for a message that is shorter or longer than its values.
var errCut = errors.New("control: a message is cut")

// Pack encodes what v points to.
func Pack(v any) []byte { return appendValue(nil, reflect.ValueOf(v).Elem()) }

// Unpack decodes bytes into what v points to. Bytes that are left over are an error.
func Unpack(buf []byte, v any) error {
	rest, err := takeValue(buf, reflect.ValueOf(v).Elem())
	if err == nil && len(rest) > 0 {
		err = errCut
	}
	return err
}

// appendValue appends one value. A type without a form is a mistake of the programmer.
func appendValue(buf []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(buf, 1)
		}
		return append(buf, 0)
	case reflect.Int:
		return binary.AppendVarint(buf, v.Int())
	case reflect.Uint16, reflect.Uint64, reflect.Uintptr:
		return binary.AppendUvarint(buf, v.Uint())
	case reflect.String:
		return append(binary.AppendUvarint(buf, uint64(v.Len())), v.String()...)
	case reflect.Slice:
		buf = binary.AppendUvarint(buf, uint64(v.Len()))
		for i := range v.Len() {
			buf = appendValue(buf, v.Index(i))
		}
		return buf
	case reflect.Array:
		for i := range v.Len() {
			buf = appendValue(buf, v.Index(i))
		}
		return buf
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				buf = appendValue(buf, v.Field(i))
			}
		}
		return buf
	}
	panic("wire: no form for " + v.Type().String()) // a test carries every type there is
}

// takeValue decodes one value and returns the rest.
func takeValue(buf []byte, v reflect.Value) (rest []byte, err error) {
	switch v.Kind() {
	case reflect.Bool:
		if len(buf) == 0 {
			return nil, errCut
		}
		v.SetBool(buf[0] == 1)
		return buf[1:], nil
	case reflect.Int:
		n, size := binary.Varint(buf)
		if size <= 0 {
			return nil, errCut
		}
		v.SetInt(n)
		return buf[size:], nil
	case reflect.Array:
		for i := range v.Len() {
			if buf, err = takeValue(buf, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return buf, nil
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				continue
			}
			if buf, err = takeValue(buf, v.Field(i)); err != nil {
				return nil, err
			}
		}
		return buf, nil
	}
	n, size := binary.Uvarint(buf)
	if size <= 0 {
		return nil, errCut
	}
	buf = buf[size:]
	switch v.Kind() {
	case reflect.String:
		if n > uint64(len(buf)) {
			return nil, errCut
		}
		v.SetString(string(buf[:n]))
		return buf[n:], nil
	case reflect.Slice:
		if n == 0 {
			return buf, nil
		}
		if n > uint64(len(buf)) { // each value takes a byte at least
			return nil, errCut
		}
		v.Set(reflect.MakeSlice(v.Type(), int(n), int(n)))
		for i := range v.Len() {
			if buf, err = takeValue(buf, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return buf, nil
	}
	v.SetUint(n)
	return buf, nil
}
