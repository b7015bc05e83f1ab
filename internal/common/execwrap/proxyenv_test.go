package execwrap

import "testing"

func TestOfProxy(t *testing.T) {
	for kv, want := range map[string]bool{
		"HTTP_PROXY=x": true, "https_proxy=": true, "No_Proxy=x": true, "UA_PROXY=x": true,
		"ftp_proxy=x": true, "NODE_USE_ENV_PROXY=1": true, "GIT_HTTP_PROXY_AUTHMETHOD=basic": true,
		"GIT_SSH_COMMAND=ssh -o 'ProxyCommand='\\''/bin/ua-sandbox'\\'' --connect %h %p'": true,
		"GIT_SSH_COMMAND=ssh -i key": false, "HTTP_PROXY_USER=x": false, "MY_PROXY=x": false,
		"PATH=/bin": false, "": false, "PROXY": false,
	} {
		if got := OfProxy(kv); got != want {
			t.Errorf("%s: %v", kv, got)
		}
	}
}
