package syscalls

// notif is struct seccomp_notif (seccomp_unotify(2)).
type notif struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}
