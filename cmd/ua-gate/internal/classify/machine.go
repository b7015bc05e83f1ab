package classify

// A machine is what is known of the machine on which a command runs, and what the command has done
// there so far.
type machine struct {
	o       *Options
	simple  int       // how many simple commands it has
	written []written // the files that it writes
	links   []link    // the symbolic links that it makes
	made    []string  // the folders that it makes
	last    lookedUp  // the place last asked for
}
