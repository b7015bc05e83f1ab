package ring

import (
	"os"
	"slices"

	"ua/internal/common/config"
	"ua/internal/common/planted"
)

// notPlanted returns an error if a command may have made a link on the way to the file that
// an option names, and so have led it elsewhere. The settings tell where commands of other
// runs may write.
func (o *options) notPlanted(option, path string) error {
	workspace := o.workspace
	if workspace == "" {
		workspace, _ = os.Getwd()
	}
	return planted.Check(option, path, workspace,
		slices.Concat(config.Writable(), o.Write, []string{"."}))
}
