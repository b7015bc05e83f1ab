package agentloop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ua/cmd/ua/internal/agents"
	"ua/cmd/ua/internal/settings"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// become applies the definition of the agent that --agent names. Options of the command
// line go before it, except for what the agent may do. Problems in definitions are
// reported only when one of them was asked for.
func (o *options) become(env *prog.Env, aliases map[string]string) error {
	o.catalog = agents.Load(".", func(w string) {
		if o.Agent != "" {
			env.Warnf("%s", w)
		}
	})
	if o.Agent == "" {
		return nil
	}
	d, ok := o.catalog[o.Agent]
	if !ok {
		err := prog.Errorf(prog.Trouble, "%q: no such agent", o.Agent)
		if near := prog.Nearest(o.Agent, o.catalog.Names()); near != "" {
			return err.Hintf("did you mean %s?", near)
		}
		return err.Hintf("ua agents lists them")
	}
	o.def = d
	for _, name := range d.Missing() {
		env.Warnf("the agent %s: no skill %q: ua skills lists those that there are", d.Name, name)
	}
	if o.Model == "" && d.Model != "" {
		o.Model = modelOf(d, aliases)
	}
	if o.Isolation == "" {
		o.Isolation = d.Isolation
	}
	return nil
}

// mayAsk returns the models that commands may ask besides the run's own: those that the user
// allows in the settings, and those of the user's definitions of agents.
func (o *options) mayAsk(s *settings.Settings) (models []string) {
	models = append(models, s.UA.Models...)
	for _, name := range o.catalog.Names() {
		if d := o.catalog[name]; d.Source == "user" && d.Model != "" {
			if m := modelOf(d, s.Alias); m != "" {
				models = append(models, m)
			}
		}
	}
	return models
}

// modelOf returns the model that a definition names. A name without a provider, such as
// "cheap", must be an alias in the settings. Without that alias the usual model is used.
func modelOf(d agents.Definition, aliases map[string]string) string {
	switch {
	case d.Provider != "":
		return d.Provider + "/" + d.Model
	case strings.ContainsAny(d.Model, "/:") || aliases[d.Model] != "":
		return d.Model
	}
	return ""
}

// confine reduces the sandbox and the gate to what the definition allows.
func (o *options) confine() error {
	o.sandboxProfile, o.ceiling = o.Profile, ceilingOf(verdict.Profile(o.Profile))
	o.closedBy = "the profile of this run is " + o.Profile
	d := o.def
	if d.Name == "" {
		return nil
	}
	if d.Delegate != nil && !*d.Delegate {
		o.limits.Enabled = d.Delegate
	}
	if d.Plans() && o.ceiling >= verdict.Write {
		return o.planning()
	}
	if top := d.Ceiling(); top < o.ceiling {
		o.ceiling = top
		o.closedBy = fmt.Sprintf("the agent %s may run nothing above %s", d.Name, top)
		o.Profile = string(verdict.ProfileFor(top))
		o.sandboxProfile = o.Profile
	}
	return nil
}

// planning makes everything but the folder of plans read-only, in the sandbox around all
// commands. Inside it commands may still run that write to that folder.
func (o *options) planning() error {
	dir, err := os.Getwd()
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	plans := dir
	for _, name := range []string{".ua", "plans"} {
		// A command could have put a link there.
		if plans = filepath.Join(plans, name); err == nil {
			err = ownFolder(plans, 0o755)
		}
	}
	if err != nil {
		return prog.Errorf(prog.Trouble, "the folder of plans: %v", err)
	}
	o.Write = append(o.Write, plans)
	o.sandboxProfile, o.Profile = string(verdict.ProfileReadOnly), string(verdict.ProfileWorkspace)
	// the gate calls .ua guarded; the sandbox keeps the rest read-only
	o.ceiling = verdict.Destructive
	return nil
}
