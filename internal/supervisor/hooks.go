package supervisor

// rung: there may be more hooks.
func (w *watch) rung() {
	if w.held = w.offset < w.replay; !w.held {
		w.readHooks()
	}
}

// readHooks feeds the hooks that have come to the reader. Of a run that is taken
// back they are read after the output that was there: both are old, and the hooks
// say better how things stand.
func (w *watch) readHooks() {
	for {
		list, err := w.host.ReadHooks(w.a.sup.ctx, w.ref, w.hooked)
		if err != nil || len(list) == 0 {
			return // what could not be read is read next time
		}
		for _, h := range list {
			w.hooked = h.Offset
			w.tell(w.view.Reader.Feed(now(), h))
		}
		w.moved.advance(0)
	}
}
