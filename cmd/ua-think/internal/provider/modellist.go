package provider

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// An Offer is a model in a provider's list, with what the list says of it.
type Offer struct {
	Name    string
	Context int64 // tokens, 0 if unknown
	// dollars for a million tokens; without Priced unknown
	Priced        bool
	Input, Output float64
	Loaded        bool // it can answer at once, as far as the list says
}

// contextNames are the members by which servers tell how many tokens a model takes: the one
// that holds now before the most that the model could.
var contextNames = []string{"loaded_context_length", "context_length", "context_window",
	"max_model_len", "max_context_length", "max_input_tokens", "meta.n_ctx", "meta.n_ctx_train"}

// Offers returns the models in a list of any of the APIs, sorted by name. Together sends the
// bare list.
func Offers(list []byte) (offers []Offer) {
	root := gjson.ParseBytes(list)
	for _, member := range []string{"data", "models"} {
		if v := root.Get(member); v.IsArray() {
			root = v
		}
	}
	if !root.IsArray() {
		return nil
	}
	for _, v := range root.Array() {
		o := Offer{Name: v.Get("id").Str}
		if o.Name == "" {
			o.Name = v.Get("name").Str
		}
		for _, name := range contextNames {
			if o.Context == 0 {
				o.Context = v.Get(name).Int()
			}
		}
		// OpenRouter's prices are texts for one token, Together's numbers for a million.
		for from, scale := range map[string]float64{"prompt completion": 1e6, "input output": 1} {
			in, out, _ := strings.Cut(from, " ")
			if p := v.Get("pricing." + in); p.Exists() && p.Float() >= 0 {
				o.Priced, o.Input = true, p.Float()*scale
				o.Output = v.Get("pricing."+out).Float() * scale
			}
		}
		state := v.Get("state").Str + v.Get("status.value").Str
		o.Loaded = (state == "" || state == "loaded") && v.Get("type").Str != "embeddings"
		if o.Name != "" {
			offers = append(offers, o)
		}
	}
	slices.SortFunc(offers, func(a, b Offer) int { return strings.Compare(a.Name, b.Name) })
	return offers
}

// LoadedURL returns the address of the list that tells which models m's server has loaded;
// where that is no list of its own, the one of all models, as of servers that have one.
func (m Model) LoadedURL() string {
	path := makerNamed(m.Provider).loaded
	if path == "" {
		return m.ModelsURL()
	}
	base := strings.TrimRight(m.Base, "/")
	return strings.TrimSuffix(strings.TrimSuffix(base, "/v1"), "/api") + path
}
