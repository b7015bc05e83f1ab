package ring

import (
	"os"

	"ua/internal/common/config"
)

// notPlanted returns an error if a command may have made a link on the way to the file that
// an option names, and so have led it elsewhere. The settings tell where commands of other
// runs may write.
func (o *options) notPlanted(option, path string) error {
	workspace := o.workspace
	if workspace == "" {
		workspace, _ = os.Getwd()
	}
	return config.CheckLinks(option, path, workspace, o.Write...)
}
