// Package sqlite keeps sessions and the journal in one SQLite file. It is the
// Store of package supervisor, whose contract suite is storetest.
//
// One goroutine writes. Changes that arrive while it works share the next
// transaction (group commit), each with its own result; a change is on disk
// (WAL, synchronous FULL) before Commit returns. Readers have connections of
// their own and never hold a read open longer than one page of rows.
//
// It refuses to lose anything silently: a corrupt or newer file is reported and
// left as it is, a deleted file is written anew from the open handle, a
// replaced one makes the store read-only and says so. It decides nothing about
// sessions, and it logs nothing.
package sqlite
