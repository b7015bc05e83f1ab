package classify

import "strings"

// pwsh is PowerShell. A text of cmdlets that only read, put together by pipes, is read;
// all else is a script that nobody has read.
func (a *argv) pwsh() {
	file, runs := a.value("-File", "-file", "-f")
	if operand := first(a.operands, ""); !runs && strings.HasSuffix(operand.text, ".ps1") {
		file, runs = operand, true
	}
	if runs && !a.flagged("-c", "-Command", "-command", "-e", "-ec", "-EncodedCommand", "-enc") {
		a.base, a.fixed = readOnly, true
		a.scriptFile(file)
		return
	}
	text, ok := a.value("-c", "-Command", "-command")
	if !ok || a.fixed || a.in.open || !text.plain() || len(a.used) == 0 {
		return
	}
	if i := strings.Join(texts(a.operands), " "); i != "" {
		text.text += " " + i
	}
	for _, u := range a.used {
		if u.level > readOnly && !u.base {
			return
		}
	}
	if a.readsCmdlets(text.text) {
		a.base, a.fixed = readOnly, true
		if checkCmdlets.match(text.text) {
			a.base = buildTest
			for _, piece := range strings.FieldsFunc(text.text, partsTexts) {
				a.plug(a.name, lit(piece))
			}
		}
	}
}

// readsCmdlets reports whether a text of PowerShell only reads, and judges what it may read.
func (a *argv) readsCmdlets(text string) bool {
	if !readsOnly(text) {
		return false
	}
	for _, piece := range strings.FieldsFunc(text,
		func(r rune) bool { return strings.ContainsRune(" \n,;|(){}\"'=", r) }) {
		a.reads(lit(piece))
	}
	return true
}

var (
	pwshMethod = regex{text: `\.\w+\s*\(`}
	mildMethod = regex{text: `\.(?:ToString|Trim|TrimStart|TrimEnd|ToUpper|ToLower|Split|Replace|` +
		`Substring|Contains|StartsWith|EndsWith|` +
		`PadLeft|PadRight|IndexOf|ContainsKey)\(`}
	// checkCmdlets test the project, or look at its source.
	checkCmdlets = regex{text: `(?i)\b(?:Invoke-Pester|Invoke-ScriptAnalyzer|Test-ModuleManifest)\b`}
	cmdlet       = regex{text: `[A-Za-z]+-[A-Za-z]+`}
	pwshStrings  = regex{text: `'[^']*'|"[^"$` + "`" + `]*"`}
	// pwshCommand finds what stands where a command begins: at the start, behind a pipe, a
	// semicolon or an opening bracket.
	pwshCommand = regex{text: `(?:^|[|;{(\n])\s*([^\s|;{}()\n]+)`}
	mildCmdlets = regex{text: `(?i)^(?:Get-(?:ChildItem|Content|Item|ItemProperty|Location|Date|` +
		`Process|Command|Help|Module|Member|Host|` +
		`Culture|FileHash|Service|PSDrive|Random|Unique|Alias|TimeZone|Uptime|Verb|CimInstance|` +
		`ComputerInfo|NetIPAddress|Volume|Disk)|` +
		`(?:Select|Where|ForEach|Sort|Group|Measure|Compare|Tee)-Object|Select-String|Select-Xml|` +
		`ConvertTo-\w+|ConvertFrom-(?:Json|Csv|StringData)|` +
		`Import-Csv|Format-\w+|Out-(?:String|Host|Null|Default)|Test-(?:Path|Json)|Resolve-Path|` +
		`Split-Path|Join-Path|Join-String|` +
		`Write-(?:Output|Host|Verbose|Warning|Error|Information|Debug)|New-TimeSpan|Start-Sleep|` +
		`Invoke-(?:Pester|ScriptAnalyzer)|Test-ModuleManifest)$`}
)

// readsOnly reports whether each command of a text of PowerShell is a cmdlet that only reads,
// and no method, type, variable or script block can be anything else.
func readsOnly(text string) bool {
	bare := pwshStrings.replace(text, "''")
	for _, bad := range []string{"&", "`", "::", "env:", "Env:", "ENV:", "$env", "$(", "@(", ">", "<",
		"[", "\"", "iex", "Tee-", "-OutFile",
		"-FilePath", "-OutVariable", "http", "-MemberName", "-Begin", "function", "cert:", "variable:"} {
		if strings.Contains(bare, bad) && !(bad == "[" && !strings.Contains(bare, "]")) {
			return false
		}
	}
	if strings.Contains(bare, ".") && pwshMethod.match(mildMethod.replace(bare, " ")) {
		return false
	}
	for _, name := range cmdlet.get().FindAllString(bare, -1) {
		if !mildCmdlets.match(name) && strings.ToUpper(name[:1]) == name[:1] {
			return false
		}
	}
	for _, m := range pwshCommand.all(bare) {
		word := m[1]
		switch {
		case mildCmdlets.match(word), strings.HasPrefix(word, "$"), strings.HasPrefix(word, "''"),
			strings.Trim(word[:1], "0123456789-@") == "", inList(" where select sort group measure "+
				"foreach ? ", word):
		case word == "%":
			return strings.Contains(bare, "% {")
		default:
			return false
		}
	}
	return true
}
