package main

// help is the text of --help.
const help = `usage: ua-mcp [--json]
       ua-mcp NAME [TOOL [--ARGUMENT VALUE ...] [-]]
       ua-mcp NAME read [URI] | prompt [PROMPT]
       ua-mcp serve [option of ua ...]
       ua-mcp host --socket-fd N --token-fd N --lives DIR

List the MCP servers of the settings, or ask one of them. In a run each server is
a command NAME of its own. serve is a server itself: it lends a confined shell to an
MCP client.

  --json           print the servers as JSON, one object a line
  --socket-fd N    host: serve a run's commands on this listening socket
  --token-fd N     host: read the secret of their tokens from descriptor N
  --lives DIR      host: take tokens of commands that have a file there
  --help           print this help
  --version        print the version`
