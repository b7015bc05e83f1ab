package control_test

import (
	"fmt"
	"reflect"
	"testing"

	"ua/cmd/ua-sandbox/internal/control"
	"ua/cmd/ua-sandbox/internal/plan"
)

// fill gives every exported field of a value something that is not its zero.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(int64(-*n))
	case reflect.Uint16, reflect.Uint64, reflect.Uintptr:
		v.SetUint(uint64(*n))
	case reflect.String:
		v.SetString(fmt.Sprint("x", *n))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n)
			}
		}
	}
}

// Every field of what crosses does, whatever it holds.
func TestWire(t *testing.T) {
	n := 0
	var in, out plan.Plan
	fill(reflect.ValueOf(&in).Elem(), &n)
	if err := control.Unpack(control.Pack(&in), &out); err != nil || !reflect.DeepEqual(in, out) {
		t.Errorf("%v\n%+v\n%+v", err, in, out)
	}
	var told, got control.Report
	fill(reflect.ValueOf(&told).Elem(), &n)
	if err := control.Unpack(control.Pack(&told), &got); err != nil || told != got {
		t.Errorf("%v\n%+v\n%+v", err, told, got)
	}
	packed := control.Pack(&in)
	for cut := range packed {
		if err := control.Unpack(packed[:cut], &plan.Plan{}); err == nil {
			t.Errorf("%d of %d bytes are taken", cut, len(packed))
		}
	}
}

func FuzzWire(f *testing.F) {
	f.Add(control.Pack(&plan.Plan{Path: "x", Fds: []int{1}}))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = control.Unpack(b, &plan.Plan{}), control.Unpack(b, &control.Report{})
	})
}
