package manual

import (
	"io/fs"
	"slices"
	"strings"

	"ua/man"
)

// A Page names one of the manuals, such as ua-think(1).
type Page struct{ Name, Section string }

// Pages returns all manuals, sorted by name.
func Pages() (list []Page) {
	names, _ := fs.Glob(man.Pages, "*.[0-9]")
	for _, name := range names {
		list = append(list, pageOf(name))
	}
	return list
}

// pageOf returns the page in a file called NAME.SECTION.
func pageOf(file string) Page {
	name, section, _ := strings.Cut(file, ".")
	return Page{name, section}
}

// Source returns the mdoc(7) source of the page.
func (p Page) Source() string {
	text, _ := fs.ReadFile(man.Pages, p.Name+"."+p.Section)
	return string(text)
}

// Topics returns a word for each page, sorted: "think" for ua-think(1), "ideas" for
// ua(7).
func Topics() (list []string) {
	for _, p := range Pages() {
		switch {
		case p.Name == "ua" && p.Section == "7":
			list = append(list, "ideas")
		case p.Name == "ua":
			list = append(list, "ua")
		default:
			list = append(list, strings.TrimPrefix(p.Name, "ua-"))
		}
	}
	slices.Sort(list)
	return list
}

// Find returns the page about a topic. The topic is one of Topics, or a page's name or
// file as man(1) writes it, such as ua-think, ua-events.5 or ua(7).
func Find(topic string) (Page, bool) {
	topic = strings.ToLower(topic)
	if name, section, ok := strings.Cut(strings.TrimSuffix(topic, ")"), "("); ok {
		topic = name + "." + section
	}
	if topic == "ideas" || topic == "glossary" {
		topic = "ua.7"
	}
	for _, p := range Pages() {
		file := p.Name + "." + p.Section
		if topic == file || topic == p.Name || "ua-"+topic == p.Name || "ua-"+topic == file {
			return p, true
		}
	}
	return Page{}, false
}
