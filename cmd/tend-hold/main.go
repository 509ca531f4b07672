// Command tend-hold is the small program that stays with an agent: it holds the
// agent's terminal, keeps its output and writes down how it ended.
package main

import (
	"fmt"
	"os"

	"github.com/tendhq/tend/internal/pty/holder"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "run" {
		os.Exit(holder.Run(os.Args[2]))
	}
	fmt.Fprintln(os.Stderr, "usage: tend-hold run DIR (tend starts it by itself)")
	os.Exit(2)
}
