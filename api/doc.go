// Package api is tend's public interface: the types on the wire, the routes and
// a Go client for the daemon's Unix socket.
//
// It imports nothing but the standard library and decides nothing: a state, a
// group or a reason is printed as it comes. What is unknown is absent from the
// wire, never 0 or "". Times are RFC 3339 in UTC with exactly three decimals.
//
// openapi.json beside this file describes the same interface; it is generated
// from these types.
package api

//go:generate go test ../internal/server -run ^TestOpenAPIDocument$ -update
