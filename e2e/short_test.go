//go:build !soak

package e2e

// soak: the long cases run too.
const soak = false
