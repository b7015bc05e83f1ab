package classify

import "strings"

// cargo takes settings in --config KEY=VALUE, of which those of profiles and of the network
// name no program, and files with any settings.
func (a *argv) cargo() {
	for _, u := range a.used {
		key, _, set := strings.Cut(u.val.text, "=")
		section, _, _ := strings.Cut(strings.TrimSpace(key), ".")
		if u.name == "--config" && !(set &&
			inList(" profile net term future-incompat-report cache ", section)) &&
			!inList(" build.jobs build.incremental build.target-dir build.target build.warnings ",
				key) {
			a.p.raise(destructive, a.name+" --config",
				"the setting "+show(u.val.text)+" may name a program")
		}
	}
}

// rustc runs the linker that a code generation option names.
func (a *argv) rustc() {
	for _, u := range a.used {
		if key, _, _ := strings.Cut(u.val.text, "="); u.name == "-Z" &&
			!inList(" unpretty time-passes time-llvm-passes "+
				"build-std build-std-features print-type-sizes self-profile threads sanitizer "+
				"macro-backtrace treat-err-as-bug "+
				"polonius next-solver unstable-options instrument-coverage emit-stack-sizes trace-macros "+
				"validate-mir miri-disable-isolation "+
				"mir-opt-level share-generics ls no-codegen parse-only meta-stats hir-stats input-stats "+
				"panic-abort-tests ", key) {
			a.p.raise(destructive, "rustc -Z", "rustc -Z "+show(key)+" may load code")
		}
		if u.value == isAny && strings.Contains(u.val.text, "linker=") {
			a.p.raise(destructive, "rustc -C linker", "rustc runs "+show(u.val.text))
		}
	}
}
