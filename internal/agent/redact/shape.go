package redact

import "bytes"

// rule is a credential that its issuer marked with a prefix. Prefixes end in _
// or -, which neither base64 nor prose has often: that is what makes them quick
// to find.
type rule struct {
	prefix string
	kind   string
	class  class
	least  int  // bytes behind the prefix
	start  bool // only at the beginning of a word: the prefix is short
}

// rules come from the issuers' own pages: "About authentication to GitHub",
// "GitLab token overview", "Slack token types", Anthropic's and OpenAI's key
// pages, npm's, PyPI's, Docker's, Stripe's, Hugging Face's and DigitalOcean's
// documentation. Lengths are the shortest seen, so that a new format with a
// known prefix is caught.
var rules = []rule{
	{"ghp_", "github-token", alnum, 30, false},
	{"gho_", "github-token", alnum, 30, false},
	{"ghu_", "github-token", alnum, 30, false},
	{"ghs_", "github-token", alnum, 30, false},
	{"ghr_", "github-token", alnum, 30, false},
	{"github_pat_", "github-token", word, 30, false},
	{"glpat-", "gitlab-token", dotted, 20, false},
	{"glptt-", "gitlab-token", dotted, 20, false},
	{"gldt-", "gitlab-token", dotted, 20, false},
	{"glrt-", "gitlab-token", dotted, 20, false},
	{"glcbt-", "gitlab-token", dotted, 20, false},
	{"xoxa-", "slack-token", word, 10, true},
	{"xoxb-", "slack-token", word, 10, true},
	{"xoxc-", "slack-token", word, 10, true},
	{"xoxd-", "slack-token", word, 10, true},
	{"xoxe-", "slack-token", word, 10, true},
	{"xoxo-", "slack-token", word, 10, true},
	{"xoxp-", "slack-token", word, 10, true},
	{"xoxr-", "slack-token", word, 10, true},
	{"xoxs-", "slack-token", word, 10, true},
	{"xapp-", "slack-token", word, 10, true},
	{"sk-ant-", "anthropic-key", word, 16, true},
	{"sk-proj-", "openai-key", word, 16, true},
	{"sk-svcacct-", "openai-key", word, 16, true},
	{"sk-admin-", "openai-key", word, 16, true},
	{"npm_", "npm-token", alnum, 30, true},
	{"pypi-", "pypi-token", word, 50, true},
	{"dckr_pat_", "docker-token", word, 20, true},
	{"sk_live_", "stripe-key", alnum, 16, true},
	{"sk_test_", "stripe-key", alnum, 16, true},
	{"rk_live_", "stripe-key", alnum, 16, true},
	{"hf_", "huggingface-token", alnum, 30, true},
	{"gsk_", "groq-key", alnum, 30, true},
	{"dop_v1_", "digitalocean-token", alnum, 40, true},
}

const (
	minToken = 15 // the shortest of all: xoxb- and ten
	maxToken = 64 // covers a prefix and what it takes to believe it

	// maxWord is how much of a word is looked at at once, and maxBare how much of
	// a value without quotes: else "token:token:token:" would take a Reach of
	// time for each of its words.
	maxWord = 2 << 10
	maxBare = 512
)

// endings are the rules by the last two bytes of their prefixes.
var endings = func() map[[2]byte][]*rule {
	m := map[[2]byte][]*rule{}
	for i := range rules {
		p := rules[i].prefix
		k := [2]byte{p[len(p)-2], p[len(p)-1]}
		m[k] = append(m[k], &rules[i])
	}
	return m
}()

// ends says which bytes stand before the _ or - of a prefix.
var ends = func() (t [256]bool) {
	for _, r := range rules {
		t[r.prefix[len(r.prefix)-2]] = true
	}
	return t
}()

// length is that of the token of this rule that v begins with.
func (r *rule) length(v []byte) int {
	return len(r.prefix) + run(v[len(r.prefix):], r.class)
}

// issued finds the first token with an issuer's prefix in a word; inner says
// that a letter or a digit stands before w.
func issued(w []byte, inner bool) (int, *rule) {
	for i := 1; i < len(w); i++ {
		if c := w[i]; c != '_' && c != '-' || !ends[w[i-1]] {
			continue
		}
		for _, r := range endings[[2]byte{w[i-1], w[i]}] {
			at := i + 1 - len(r.prefix)
			if at < 0 || string(w[at:i+1]) != r.prefix || run(w[i+1:], r.class) < r.least {
				continue
			}
			if r.start && (at == 0 && inner || at > 0 && is(w[at-1], alnum)) {
				continue
			}
			return at, r
		}
	}
	return -1, nil
}

// shape recognizes the tokens that have no prefix of that kind. A word begins
// with them; rest is what is known to follow it.
func (f *Filter) shape(w, rest []byte, cut bool) step {
	v := w[:len(w)+len(rest)]
	switch {
	case accessKey(w):
		f.near = nearKey
		return step{n: 20, act: replace, kind: "aws-access-key-id"}
	case len(w) == 39 && string(w[:4]) == "AIza":
		return step{n: 39, act: replace, kind: "google-key"}
	case bytes.HasPrefix(w, []byte("sk-")) && dense(w[3:]):
		return f.take(v, len(w), cut, word, "openai-key")
	case bytes.HasPrefix(w, []byte("eyJ")):
		if n := webToken(w, rest); n > 0 {
			return f.take(v, n, cut, dotted, "jwt")
		}
	}
	if f.near > 0 && !is(f.prev, base64) {
		if n := run(v[:min(len(v), 41)], base64); n == 40 && mixed(v[:n]) {
			return step{n: n, act: replace, kind: "aws-secret-key"}
		}
	}
	return step{}
}

// nearKey is how far behind an access key id forty characters of base64 count
// as its secret: AWS gives secrets no prefix ("AWS security credentials"), and
// elsewhere they cannot be told from other base64.
const nearKey = 400

// accessKey: AKIA or a sibling and sixteen more.
func accessKey(w []byte) bool {
	if len(w) < 20 || len(w) > 20 && is(w[20], alnum) {
		return false
	}
	switch string(w[:4]) {
	case "AKIA", "ASIA", "ABIA", "ACCA":
		return run(w[:20], upper|digit) == 20
	}
	return false
}

// dense: at least twenty bytes, letters and digits mixed, sixteen of them
// without a dash. Old OpenAI keys, and those of services with its interface.
func dense(w []byte) bool {
	if len(w) < 20 || !mixes(w) {
		return false
	}
	for i := 0; i < len(w); i++ {
		n := run(w[i:], alnum)
		if n >= 16 {
			return true
		}
		i += n
	}
	return false
}

// mixes says that b has letters and digits.
func mixes(b []byte) bool {
	var seen class
	for _, c := range b {
		seen |= classes[c]
	}
	return seen&digit != 0 && seen&(lower|upper) != 0
}

// mixed says that b has letters of both cases and digits.
func mixed(b []byte) bool {
	var seen class
	for _, c := range b {
		seen |= classes[c]
	}
	const all = digit | lower | upper
	return seen&all == all
}

// webToken is the length of a JSON web token (RFC 7519), of which w is the
// first part: two parts of twelve bytes or more, and any number behind them.
func webToken(w, rest []byte) int {
	const least = 12
	if len(w) < least || len(rest) < least+1 || rest[0] != '.' {
		return 0
	}
	n := run(rest[1:], word)
	if n < least {
		return 0
	}
	n++
	for n < len(rest) && rest[n] == '.' && n+1 < len(rest) && is(rest[n+1], word) {
		n += 1 + run(rest[n+1:], word)
	}
	return len(w) + n
}
