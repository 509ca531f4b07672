package main

import (
	"fmt"
	"strconv"
)

// wholeNumber is a flag that takes whole numbers from a least one up.
type wholeNumber[T int | int64] struct {
	to    *T
	least T
}

// Set is pflag's.
func (n wholeNumber[T]) Set(text string) error {
	v, err := strconv.ParseInt(text, 10, strconv.IntSize)
	if err != nil || T(v) < n.least {
		return fmt.Errorf("give a whole number from %d up", n.least)
	}
	*n.to = T(v)
	return nil
}

func (n wholeNumber[T]) String() string {
	if n.to == nil {
		return "" // pflag asks a zero value
	}
	return fmt.Sprint(*n.to)
}

// Type is how the help names it.
func (wholeNumber[T]) Type() string { return "int" }
