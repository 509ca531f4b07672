package main

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestDoctorNamesAFolderThatCannotBeWritten(t *testing.T) {
	p := &program{dirs: dirs{state: t.TempDir(), runtime: t.TempDir()}}
	if err := os.Chmod(p.dirs.state, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // who may write whatever the mode is
		if err := syscall.Mount("tmpfs", p.dirs.state, "tmpfs", syscall.MS_RDONLY, "size=64k,mode=700"); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = syscall.Unmount(p.dirs.state, syscall.MNT_DETACH) }()
	}
	state := p.folders()[0]
	if state.OK || !strings.Contains(state.Detail, "cannot be written") || state.Remedy == "" {
		t.Errorf("%+v", state)
	}
	if err := os.Chmod(p.dirs.runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	if runtime := p.folders()[1]; !runtime.OK {
		t.Errorf("%+v", runtime)
	}
}
