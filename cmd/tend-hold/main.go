// Command tend-hold is the small program that stays with an agent: it holds the
// agent's terminal, keeps its output and writes down how it ended. It is also
// what the agent's hooks run.
package main

import (
	"fmt"
	"os"

	"github.com/tendhq/tend/internal/pty/holder"
	"github.com/tendhq/tend/internal/spool"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "run" {
		os.Exit(holder.Run(os.Args[2]))
	}
	if len(os.Args) >= 2 && os.Args[1] == "hook" {
		spool.Hook(os.Stdin, os.Getenv("TEND_RUN"), os.Args[2:])
		return
	}
	fmt.Fprintln(os.Stderr, "usage: tend-hold run DIR (tend starts it by itself)\n       tend-hold hook [PAYLOAD] (an agent's hook: the run's folder is in TEND_RUN)")
	os.Exit(2)
}
