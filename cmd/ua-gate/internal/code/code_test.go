package code

import (
	"fmt"
	"strings"
	"testing"
)

func TestActs(t *testing.T) {
	for _, c := range []struct{ language, text, want string }{
		{"python", `import os; os.remove("a")`, "delete a"},
		{"python", `from os import unlink as u; u("a")`, "delete a"},
		{"python", `__import__("os").system("id")`, "shell id"},
		{"python", `import json; print(json.load(open("a.json"))["v"])`, "read a.json"},
		{"python", "p = 'x.py'\nwith open(p, 'w') as f:\n    f.write('y')", "write x.py"},
		{"python", `from pathlib import Path; (Path.home()/".ssh"/"id").read_text()`, "read ~/.ssh/id"},
		{"python", `l=[1]; l.remove(1); d={}; d.pop("a"); print(f"{l[0]:>3}")`, ""},
		{"python", `import subprocess as s; s.run(["rm","-rf","src"])`, "argv rm -rf src"},
		{"python", `import os; f=os.system; f("id")`, "shell id"},
		{"python", `import os; getattr(os,"sys"+"tem")("id")`, "unknown"},
		{"python", `import os; print(os.environ["AWS_KEY"])`, "env AWS_KEY"},
		{"python", `print(f"{__import__('os').system('id')}")`, "shell id"},
		{"python", `import foo`, "load"},
		{"node", `require("fs").rmSync("src")`, "delete src"},
		{"node", `const {execSync:e}=require("child_process"); e("id")`, "shell id"},
		{"node", `const fs=require("fs"); fs.writeFileSync("a","b")`, "write a"},
		{"node", `require("fs")["unlink"+"Sync"]("a")`, "delete a"},
		{"node", `const r=require; r("child_process").exec("id")`, "shell id"},
		{"node", `[].filter.constructor("return process")()`, "unknown"},
		{"node", "console.log(`${1+1} ${process.version}`)", ""},
		{"node", "`${require('fs').unlinkSync('a')}`", "delete a"},
		{"node", `let s=""; s.replace(/foo"/g,"bar")`, ""},
		{"node", `const o={a:1}; for (const k in o) console.log(k, o[k])`, ""},
		{"node", `import("fs").then(f=>f.unlinkSync("a"))`, "delete a"},
		{"ruby", "puts `id`", "shell id"},
		{"ruby", `system "rm", "-rf", "src"`, "argv rm -rf src"},
		{"ruby", `%x{rm -rf src}`, "shell rm -rf src"},
		{"ruby", `File.write("a.txt", "x")`, "write a.txt"},
		{"ruby", `puts [1,2].map { |x| x * 2 }.sum`, ""},
		{"ruby", `puts "x=#{File.delete("a")}"`, "delete a"},
		{"perl", `print qx(id)`, "shell id"},
		{"perl", `open(my $f, ">", "out"); print $f "x"`, "write out"},
		{"perl", `open F, "|rm x"`, "shell rm x"},
		{"perl", `s/(\d+)/$1*2/e; print if /x/`, ""},
		{"perl", "s/x/`id`/e", "shell id"},
		{"perl", `&{"sys"."tem"}("id")`, "unknown"},
		{"perl", `print "ok" if $h{unlink}; $h{y}=1`, ""},
		{"php", `unlink("a");`, "delete a"},
		{"php", `$f="sys"."tem"; $f("id");`, "unknown"},
		{"php", `array_map("unlink", glob("*"));`, "unknown"},
		{"lua", `os.remove("a")`, "delete a"},
		{"lua", `local f=os["exe".."cute"]; f("id")`, "shell \x00"},
		{"lua", `for i=1,3 do print(i*i) end`, ""},
		{"r", `unlink("src", recursive=TRUE)`, "delete src"},
		{"r", `x <- c(1,2); print(mean(x))`, ""},
		{"julia", "run(`rm -rf src`)", "shell rm -rf src"},
		{"julia", `println(sum(1:10))`, ""},
		{"elixir", `System.cmd("rm", ["-rf", "src"])`, "argv rm -rf src"},
		{"elixir", `IO.puts(1 + 1)`, ""},
	} {
		acts, ok := Acts(c.language, c.text)
		got := []string{}
		for _, a := range acts {
			got = append(got, strings.TrimSpace(strings.ToLower(kindNames[a.Kind])+" "+strings.Join(a.Args,
				" ")))
		}
		found := c.want == "" && len(acts) == 0
		for _, g := range got {
			found = found || c.want != "" && (g == c.want || strings.HasPrefix(g, c.want) &&
				c.want == "unknown" || c.want == "load" && strings.HasPrefix(g, "load"))
		}
		if !ok || !found {
			t.Errorf("%s: %s: %s (%t), want %q", c.language, c.text, fmt.Sprintf("%q", got), ok, c.want)
		}
	}
}

var kindNames = []string{"unknown", "load", "read", "write", "delete", "shell", "argv", "net",
	"env", "sql"}
