package screen

// Event is something a stream said that is not cells. The set is closed.
type Event interface{ event() }

type (
	// TitleChanged is a new window title (OSC 0 and 2, xterm's title stack).
	TitleChanged struct{ Title string }

	// DirChanged is OSC 7: a file URL of the working directory, unchecked.
	DirChanged struct{ URL string }

	// PromptMark is OSC 133 (FinalTerm): 'A' a prompt begins, 'B' input
	// begins, 'C' output begins, 'D' the command ended, with its exit status
	// where HasExit is set.
	PromptMark struct {
		Kind    byte
		Exit    int
		HasExit bool
	}

	// AgentState is OSC 7501: State is idle, working, blocked, done, error or
	// clear; App and Kind are as sent, at most 64 bytes each.
	AgentState struct{ State, App, Kind string }

	// Bell is BEL.
	Bell struct{}

	// ModeChanged carries the modes after a change.
	ModeChanged struct{ Modes Modes }

	// AltScreen says that the other screen is shown now.
	AltScreen struct{ On bool }

	// Query is a device query. Reply is what a VT terminal with this screen
	// answers, and nil where the answer is for the viewer's terminal alone to
	// know (colours, pixels). Nothing is sent: one responder decides.
	Query struct {
		Name  string
		Reply []byte
	}

	// StringCut says that an OSC was longer than 64 KiB and was not used.
	StringCut struct{}
)

func (TitleChanged) event() {}
func (DirChanged) event()   {}
func (PromptMark) event()   {}
func (AgentState) event()   {}
func (Bell) event()         {}
func (ModeChanged) event()  {}
func (AltScreen) event()    {}
func (Query) event()        {}
func (StringCut) event()    {}
