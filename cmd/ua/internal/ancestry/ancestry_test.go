package ancestry

import "testing"

func TestOf(t *testing.T) {
	exec := func(dir string) holder {
		return holder{"ua-exec", []string{"ua-exec", "--dir", dir + "/out"}}
	}
	box, shell, ua := holder{name: "ua-sandbox"}, holder{name: "bash"}, holder{name: "ua"}
	for _, c := range []struct {
		name  string
		chain []holder
		want  Ancestry
	}{
		{"a person's shell", []holder{shell, {name: "sshd"}}, Ancestry{}},
		{"a command", []holder{shell, exec("/s/runs/A"), box, box, ua, shell}, Ancestry{1, "/s/runs/A"}},
		{"a command of a supervised ua-exec", []holder{shell, exec("/s/runs/A"), exec("/s/runs/A"), ua},
			Ancestry{1, "/s/runs/A"}},
		{"all of a tree", []holder{shell, exec("/s/runs/A/sub/B"), box, ua, shell, exec("/s/runs/A"),
			box, ua}, Ancestry{2, "/s/runs/A/sub/B"}},
		{"a namespace shows the nearest", []holder{shell, exec("/s/runs/A/sub/B"), box},
			Ancestry{2, "/s/runs/A/sub/B"}},
		{"given to the namespace's init", []holder{shell, {"ua-sandbox", []string{"ua-sandbox: init",
			"3", "/bin/ua-exec", "--dir", "/s/runs/A/sub/B/out"}}}, Ancestry{2, "/s/runs/A/sub/B"}},
		{"an own ua-exec in between", []holder{shell, exec("/tmp/x"), shell,
			exec("/s/runs/A/sub/B/sub/C"), box}, Ancestry{3, "/s/runs/A/sub/B/sub/C"}},
		{"an own, deeper one", []holder{shell, exec("/tmp/x/sub/y/sub/z"), shell, exec("/s/runs/A"),
			box}, Ancestry{3, "/s/runs/A"}},
		{"a home below a folder sub", []holder{shell, exec("/data/sub/sub/u/runs/A/sub/B"), box},
			Ancestry{2, "/data/sub/sub/u/runs/A/sub/B"}},
		{"hands elsewhere", []holder{shell, {name: "ua-exec"}, box, {name: "sshd"}}, Ancestry{1, ""}},
		{"not ua's folder", []holder{shell, {"ua-exec", []string{"--dir", "here"}}}, Ancestry{1, ""}},
	} {
		if got := of(c.chain); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
