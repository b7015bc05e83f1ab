// Ua-record runs another agent whole in a sandbox and a try, and answers its questions to a
// model from outside: ua-record [options] -- command [argument ...] (ua-record(1)).
package main

// help is the text of --help.
const help = `usage: ua-record [options] -- command [argument ...]

Run another agent in a sandbox and a try. The model's key stays outside: a gateway
there asks one model for the agent, keeps the budget, and has each request in the
run's journal. If the agent ends with status 0, what it has changed is applied; ua
undo takes that back.

  --budget-tokens N     answer nothing that would use more than N tokens
  --budget-usd X        answer nothing that would cost more than X dollars
  --env NAME[=VALUE]    pass the variable although it looks secret, or set it
  --home DIR            keep the agent's home in DIR; it changes with the try
  --max-questions N     answer at most N requests
  -m, --model MODEL     ask this model: PROVIDER/NAME
  --net-allow HOST      let the agent reach HOST; may be repeated
  --read PATH           let the agent read PATH although it is a secret
  --try                 do not apply what has changed: ua try diff | apply | drop
  --write PATH          let the agent write PATH, which no try covers
  --help                print this help and exit
  --version             print the version and exit`
