package verdict

import (
	"reflect"
	"testing"
)

// TestParseGrant: what says more than folders and hosts grants nothing.
func TestParseGrant(t *testing.T) {
	for text, want := range map[string]*Grant{
		`{"write":["/home/u/docs"],"host":["example.org:8443"]}`: {Write: []string{"/home/u/docs"},
			Host: []string{"example.org:8443"}},
		`{}`: {}, `{"write":["/"]}`: nil, `{"write":["docs"]}`: nil,
		`{"write":["/a/../b"]}`: nil,
		`{"host":["*"]}`:        nil, `{"host":["*.org"]}`: nil, `{"host":["--write=/"]}`: nil,
		`{"host":[""]}`: nil, `{"read":["/x"]}`: nil, `{"write":"/x"}`: nil,
		`[]`: nil, `1`: nil, ``: nil,
	} {
		got, err := ParseGrant([]byte(text))
		if (err != nil) != (want == nil) || want != nil && !reflect.DeepEqual(got, *want) ||
			want == nil && !got.Empty() {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

// FuzzParseGrant: what is read is written as it was understood.
func FuzzParseGrant(f *testing.F) {
	f.Add([]byte(`{"write":["/home/u/docs"],"host":["example.org"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		g, err := ParseGrant(text)
		if err != nil && !g.Empty() {
			t.Errorf("%q: %+v", text, g)
		}
		if again, err2 := ParseGrant(g.JSON()); err == nil && !g.Empty() &&
			(err2 != nil || string(again.JSON()) != string(g.JSON())) {
			t.Errorf("%q: %+v, %+v, %v", text, g, again, err2)
		}
	})
}
