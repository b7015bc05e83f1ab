// Package judgement says what the effects of a command come to. Whoever reads a command only
// adds effects, and nothing takes one away; this package alone knows which level an effect has,
// whatever has it.
package judgement

import "ua/internal/common/verdict"

// A Kind is what an effect does.
type Kind string

// The kinds of effects.
const (
	Reads  Kind = "reads"
	Writes Kind = "writes"
	Loses  Kind = "loses"
	Runs   Kind = "runs"
	Talks  Kind = "talks"
	Rights Kind = "rights"
)

// An Act is a kind of effect on a kind of thing. The zero Act reads files.
type Act int8

// The acts, in the order of the table.
const (
	ReadsFiles Act = iota
	RunsOwn
	WritesHere
	WritesUnknown
	RunsUnread
	RunsHidden
	ReadsSecrets
	WritesOutside
	WritesGuarded
	EndsProcesses
	LosesFiles
	LosesAll
	TalksToHosts
	ChangesRights
	SendsSecrets
	RunsStrangers
	WritesMachine
	Never
)

// A Holder is what keeps an act from harm where a person is there.
type Holder string

// The holders. The sandbox is ua's, from tier 3 on: below it, all that is above the level write is
// asked about.
const (
	Sandbox  Holder = "sandbox"
	Question Holder = "question"
	Refusal  Holder = "refusal" // it never runs
)

// A Row is a line of the table by which acts are judged, which ua-policy(5) prints.
type Row struct {
	Kind   Kind
	What   string // to what the act is done
	Level  verdict.Level
	HeldBy Holder
}

// table is the judgement, by act.
var table = [...]Row{
	ReadsFiles:    {Reads, "files", verdict.ReadOnly, Sandbox},
	RunsOwn:       {Runs, "code of the project", verdict.BuildTest, Sandbox},
	WritesHere:    {Writes, "in the workspace", verdict.Write, Sandbox},
	WritesUnknown: {Writes, "in an unknown place", verdict.Write, Sandbox},
	RunsUnread:    {Runs, "unread code", verdict.Destructive, Sandbox},
	RunsHidden:    {Runs, "hidden commands", verdict.Destructive, Question},
	ReadsSecrets:  {Reads, "secrets", verdict.Destructive, Question},
	WritesOutside: {Writes, "outside the workspace", verdict.Destructive, Question},
	WritesGuarded: {Writes, "what runs later", verdict.Destructive, Question},
	EndsProcesses: {Loses, "processes of the run", verdict.Destructive, Sandbox},
	LosesFiles:    {Loses, "files", verdict.Destructive, Question},
	LosesAll:      {Loses, "everything", verdict.Destructive, Question},
	TalksToHosts:  {Talks, "to hosts", verdict.Network, Question},
	ChangesRights: {Rights, "of the machine", verdict.Privileged, Question},
	SendsSecrets:  {Talks, "of secrets to hosts", verdict.Denied, Refusal},
	RunsStrangers: {Runs, "code of strangers", verdict.Denied, Refusal},
	WritesMachine: {Writes, "disks and accounts", verdict.Denied, Refusal},
	Never:         {Loses, "the machine", verdict.Denied, Refusal},
}

// Row returns the act's row of the table.
func (a Act) Row() Row { return table[a] }

// Rows returns the whole table.
func Rows() []Row { return table[:] }

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

// String returns the act in words.
func (r Row) String() string { return string(r.Kind) + " " + r.What }

// An Effect is one thing that a command may do.
type Effect struct {
	Act  Act
	What string // the path, where it is one
	How  string // the table's row or the rule by which it is known
	Why  string // in words
}
