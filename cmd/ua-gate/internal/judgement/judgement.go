// Package judgement says what the effects of a command come to. Whoever reads a command only
// adds effects, and nothing takes one away; this package alone knows which level an effect has,
// whatever has it.
package judgement

import "ua/internal/common/verdict"

// A Kind is what an effect does.
type Kind int8

// The kinds of effects.
const (
	Reads Kind = iota
	Writes
	Loses
	Runs
	Talks
	Rights
	Lasts
)

var kinds = [...]string{"reads", "writes", "loses", "runs", "talks", "rights", "lasts"}

func (k Kind) String() string { return kinds[k] }

// An Act is a kind of effect on a kind of thing. The zero Act reads files.
type Act int8

// The acts, in the order of the table.
const (
	ReadsFiles Act = iota
	RunsOwn
	WritesHere
	RunsUnread
	RunsHidden
	ReadsSecrets
	WritesOutside
	WritesGuarded
	LosesFiles
	LosesAll
	Lasting
	TalksToHosts
	ChangesRights
	SendsSecrets
	RunsStrangers
	WritesMachine
	Never
)

// A Row is a line of the table by which acts are judged.
type Row struct {
	Kind  Kind
	What  string // to what the act is done
	Level verdict.Level
}

// table is the judgement, by act.
var table = [...]Row{
	ReadsFiles:    {Reads, "files", verdict.ReadOnly},
	RunsOwn:       {Runs, "the project's code", verdict.BuildTest},
	WritesHere:    {Writes, "the workspace", verdict.Write},
	RunsUnread:    {Runs, "unread code", verdict.Destructive},
	RunsHidden:    {Runs, "a hidden command", verdict.Destructive},
	ReadsSecrets:  {Reads, "secrets", verdict.Destructive},
	WritesOutside: {Writes, "outside", verdict.Destructive},
	WritesGuarded: {Writes, "what runs later", verdict.Destructive},
	LosesFiles:    {Loses, "files", verdict.Destructive},
	LosesAll:      {Loses, "everything", verdict.Destructive},
	Lasting:       {Lasts, "in the shell", verdict.Destructive},
	TalksToHosts:  {Talks, "hosts", verdict.Network},
	ChangesRights: {Rights, "of the machine", verdict.Privileged},
	SendsSecrets:  {Talks, "secrets", verdict.Denied},
	RunsStrangers: {Runs, "a stranger's code", verdict.Denied},
	WritesMachine: {Writes, "the machine", verdict.Denied},
	Never:         {Loses, "the machine", verdict.Denied},
}

// Row returns the act's row of the table.
func (a Act) Row() Row { return table[a] }

// Level returns the act's level.
func (a Act) Level() verdict.Level { return table[a].Level }

// Of returns the act that a program's row of the commands' table means by a level.
func Of(l verdict.Level) Act {
	switch l {
	case verdict.ReadOnly:
		return ReadsFiles
	case verdict.BuildTest:
		return RunsOwn
	case verdict.Write:
		return WritesHere
	case verdict.Destructive:
		return LosesFiles
	case verdict.Network:
		return TalksToHosts
	case verdict.Privileged:
		return ChangesRights
	}
	return Never
}

// An Effect is one thing that a command may do.
type Effect struct {
	Act  Act
	What string // the path, where it is one
	How  string // the table's row or the rule by which it is known
	Why  string // in words
}
