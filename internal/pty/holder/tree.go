package holder

import (
	"maps"
	"slices"
)

// member is a living process and the session it is in.
type member struct {
	Proc
	sid int
}

// descendants lists the living processes below root.
func descendants(root int) []Proc { return below(processes(), root) }

func below(children map[int][]member, roots ...int) (out []Proc) {
	for len(roots) > 0 {
		for _, c := range children[roots[0]] {
			out = append(out, c.Proc)
			roots = append(roots, c.PID)
		}
		roots = roots[1:]
	}
	return out
}

// Remains lists what lives of a run's tree whose holder does not answer: the
// agent and the members of its session, what it left behind on record, all that
// descends from those, and from the holder if there still is one. What had left
// the session, or lost the agent, and its holder too cannot be told from
// anybody's process any more.
func Remains(rec Record, x Exit) []Proc {
	children := processes()
	living := map[int]member{}
	for _, list := range children {
		for _, m := range list {
			living[m.PID] = m
		}
	}
	var roots []int
	out := map[int]Proc{}
	for _, p := range append([]Proc{rec.Agent}, x.LeftBehind...) {
		if m, ok := living[p.PID]; ok && m.Proc == p {
			out[p.PID] = p
			roots = append(roots, p.PID)
		}
	}
	if _, ours := out[rec.Agent.PID]; ours { // else the number, and so the session, may be somebody else's
		for _, m := range living {
			if m.sid == rec.Agent.PID {
				out[m.PID] = m.Proc
				roots = append(roots, m.PID)
			}
		}
	}
	if m, ok := living[rec.Holder.PID]; ok && m.Proc == rec.Holder {
		roots = append(roots, m.PID)
	}
	for _, p := range below(children, roots...) {
		out[p.PID] = p
	}
	return slices.Collect(maps.Values(out))
}
