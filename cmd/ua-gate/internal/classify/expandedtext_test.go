package classify

import (
	"testing"
)

// TestExpandedText holds that commands in a text which the shell expands once more make it
// unread, and those of PROMPT_COMMAND are judged as commands.
func TestExpandedText(t *testing.T) {
	for _, c := range []struct {
		command      string
		sudo, unread bool
	}{
		{"PS4='$(sudo id)'; set -x; ls", false, true},
		{"PS4='`sudo id`' bash -x a.sh", false, true},
		{"export PS4='$(sudo id)'", false, true},
		{`PS4='\044(sudo id)'; set -x; ls`, false, true},
		{`PS4="$x" bash -x a.sh`, false, true},
		{"PS4='+ ${LINENO}: '; set -x; ls", false, false},
		{`PS1='\[\033[01;32m\]\u@\h\$ '`, false, false},
		{"PS0='$(sudo id)'", false, true},
		{"PROMPT_COMMAND='sudo id'", true, false},
		{"PROMPT_COMMAND=(ls 'sudo id')", true, false},
		{`PROMPT_COMMAND="$x"`, false, true},
		{"PROMPT_COMMAND='history -a'", false, false},
		{"BASH_ENV='$(sudo id)' bash -c ls", false, true},
		{"ENV='$(sudo id)' sh -c ls", false, true},
		{"BASH_ENV=./e.sh bash -c ls", false, false},
		{"ENV=production npm start", false, false},
		{"x='$(sudo id)'; echo \"${x@P}\"", false, true},
		{"x='\\u@\\h'; echo \"${x@P}\"", false, true},
		{"read x; echo \"${x@P}\"", false, true},
		{"echo ${1@P}", false, true},
		{"echo ${x@Q}", false, false},
		{"x='a[$(sudo id)]'; ((x))", false, true},
		{"x='a[$(sudo id)]'; echo $((x + 1))", false, true},
		{"x='a[`sudo id`]'; [[ x -eq 1 ]]", false, true},
		{"x=(1 'a[$(sudo id)]'); ((x[1]))", false, true},
		{"f() { (($1)); }; f 'a[$(sudo id)]'", false, true},
		{"read x <<< 'a[$(sudo id)]'; ((x))", false, true},
		{"declare -i x='a[$(sudo id)]'", false, true},
		{"x='a[0]'; ((x))", false, false},
		{"x='- [ ] run `sudo id` once'; echo \"$x\"", false, false},
		{"x='[$(sudo id)] text'; echo \"$x\"", false, false},
	} {
		names, unread := parts(c.command)
		sudo := false
		for _, name := range names {
			sudo = sudo || name == "sudo"
		}
		if sudo != c.sudo || unread != c.unread {
			t.Errorf("%q: parts %q, unread %v", c.command, names, unread)
		}
	}
}
