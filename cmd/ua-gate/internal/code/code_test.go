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
		{"python", `import os; f=os.system; f("id")`, "shell \x00"},
		{"python", `import os; getattr(os,"sys"+"tem")("id")`, "unknown"},
		{"python", `import os; print(os.environ["AWS_KEY"])`, "env AWS_KEY"},
		{"python", `print(f"{__import__('os').system('id')}")`, "shell id"},
		{"python", `import foo`, "load"},
		{"node", `require("fs").rmSync("src")`, "delete src"},
		{"node", `const {execSync:e}=require("child_process"); e("id")`, "shell id"},
		{"node", `const fs=require("fs"); fs.writeFileSync("a","b")`, "write a"},
		{"node", `require("fs")["unlink"+"Sync"]("a")`, "delete a"},
		{"node", `const r=require; r("child_process").exec("id")`, "unknown"},
		{"node", `[].filter.constructor("return process")()`, "unknown"},
		{"node", "console.log(`${1+1} ${process.version}`)", ""},
		{"node", "`${require('fs').unlinkSync('a')}`", "delete a"},
		{"node", `let s=""; s.replace(/foo"/g,"bar")`, ""},
		{"node", `const o={a:1}; for (const k in o) console.log(k, o[k])`, "load"},
		{"node", `import("fs").then(f=>f.unlinkSync("a"))`, "delete a"},
		{"ruby", "puts `id`", "shell id"},
		{"ruby", `puts [Dir["~/.ssh/id_*"], 1]`, "read ~/.ssh/id_*"},
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
		{"python", `import frob; frob.cli.download_models("all")`, "load"},
		{"python", `import frob as f; c = f.Client(); c.upload_file("a")`, "load"},
		{"python", `import frob; frob.delete_bucket("a")`, "load"},
		{"python", `import git; r = git.Repo("."); r.head.reset("HEAD~1", index=True)`, "unknown"},
		{"python", `import json; print(json.__version__)`, ""},
		{"python", `import inspect, requests; inspect.getsource(requests.get)`, "load"},
		{"python", `import sys; sys.modules.get("o" + "s").remove("a")`, "unknown"},
		{"node", `import("file:///tmp/x.mjs")`, "load /tmp/x.mjs"},
		{"node", `require("./db").sequelize.drop()`, "load"},
		{"perl", `sysopen F, "/etc/x", 65`, "write /etc/x"},
		{"python", `import git; git.Repo(".").remote("o").push()`, "load"},
		{"python", `import importlib.metadata as m; m.EntryPoint("a", "os:x", "g").load()()`, "unknown"},
		{"python", `from unittest.mock import patch; patch("os.x").getter()`, "load"},
		{"python", `import uuid; uuid._get_command_stdout("id")`, "unknown"},
		{"python", `import json; json.codecs.builtins.exec("x")`, "unknown"},
		{"python", `import logging.handlers; logging.handlers.SysLogHandler()`, "unknown"},
		{"python", `import xml.sax; xml.sax.parse("http://h/x", None)`, "unknown"},
		{"python", "def f(exec): pass\nexec('x')", "unknown"},
		{"node", `const k = "constr"; console.log([][k + "uctor"])`, "unknown"},
		{"node", `function f(child_process) {} child_process.frob("id")`, "unknown"},
		{"ruby", `["a", "b"].inject(:instance_eval)`, "unknown"},
		{"ruby", `require "erb"; ERB.new("x").result`, "unknown"},
		{"perl", `@ARGV = ("id|"); while (<>) { print }`, "load"},
		{"perl", `$^I = ""; while (<>) { print }`, "unknown"},
		{"ruby", `FileUtils.send(:rm, "a")`, "unknown"},
		{"perl", `my $s = "unlink"; $s->("a")`, "load"},
		{"perl", `print "$x[0] $h{unlink} $x->{k} @x[1,2] $x[$i]"`, ""},
		{"node", `require("fs").openSync("a", "w")`, "write a"},
		{"node", `require("fs").openSync("a", 577)`, "write a"},
		{"node", `require("lodash").template("<%= x %>")()`, "load"},
		{"node", `export * from "./evil.js"`, "load ./evil.js"},
		{"python", `open(*["a", "w"])`, "write \x00a"},
		{"python", `help("setup")`, "load setup"},
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

// TestReached holds that what a text names by a detour is seen, or that nothing is
// said of the text.
func TestReached(t *testing.T) {
	for _, c := range []struct{ language, text string }{
		{"python", `import shutil; shutil.os.remove("a")`},
		{"python", `import linecache; linecache.os.system("id")`},
		{"python", `import os; [os][0].system("id")`},
		{"python", `import os; f(os)`},
		{"python", "import os; \U0001d428s.remove('a')"},
		{"python", `print.__self__.eval("x")`},
		{"python", "@exec\n@input\nclass X: pass"},
		{"node", `\u0065val("x")`},
		{"node", `f(require)`},
		{"node", `import("fs").then(({unlinkSync:u})=>u("a"))`},
		{"node", `({}).constructor.constructor("x")()`},
		{"ruby", `k = Kernel; k.system("id")`},
		{"ruby", `"".public_method(:system).call`},
		{"ruby", "x = <<E\n'\nE\nsystem('id')\n'"},
		{"perl", `print "@{[system('id')]}"`},
		{"perl", "=pod\n'\n=cut\nsystem('id');#'"},
		{"perl", `main'x; system('id'); #'`},
		{"erlang", `$", os:cmd("id")."`},
		{"perl", `print "$x[unlink 'a']"`},
		{"perl", `print "$x->{unlink 'a'}[0]"`},
		{"perl", `print "@{$x}[unlink 'a']"`},
		{"perl", `print "$::{x}[unlink 'a']"`},
		{"perl", "print \"$h{`id`}\""},
		{"perl", `m/@{[system 'id']}/`},
		{"perl", `s/$x[unlink 'a']/b/`},
		{"perl", `/${\ unlink 'a'}/`},
		{"perl", `"a" =~ "(?{unlink 'a'})"`},
		{"perl", `"a" =~ "(?" . "{unlink 'a'})"`},
		{"ruby", "%W[#{`id`}]"},
		{"ruby", "%I[a #{`id`}]"},
		{"ruby", `JSON.parse('{}', create_additions: true)`},
		{"ruby", `$stderr.class.popen('id')`},
		{"ruby", `ARGF.inplace_mode = '.x'`},
		{"ruby", `$stdout.reopen('a', 'w')`},
		{"ruby", `Pathname.new('a').write('x')`},
		{"node", `process.env.PATH = '.'`},
		{"node", `process.env.PATH += ':.'`},
		{"node", `const {constructor: {constructor: F}} = []; F('x')()`},
		{"python", `import argparse; argparse.FileType('w')('a')`},
		{"python", `from base64 import main; main()`},
	} {
		acts, ok := Acts(c.language, c.text)
		grave := !ok
		for _, a := range acts {
			grave = grave || a.Kind == Unknown || a.Kind == Shell || a.Kind == Argv || a.Kind == Delete
		}
		if !grave {
			t.Errorf("%s: %s: %v", c.language, c.text, acts)
		}
	}
}
