package redact

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Made up, in pieces, so that nobody's scanner takes them for real ones.
const (
	abc   = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j"
	ghp   = "ghp_" + abc
	pat   = "github_pat_" + abc + "_" + abc
	glpat = "glpat-" + "Ab3dEf6hIj9lMn2pQr5t"
	slack = "xoxb" + "-123456789012-" + "Ab3dEf6hIj9lMn2p"
	oai   = "sk-" + "Ab3dEf6hIj9lMn2pQr5tT3BlbkFJUv8xYz1bCd4fGh7jKl0n"
	proj  = "sk-proj-" + abc
	ant   = "sk-ant-" + "api03-" + abc
	goog  = "AIza" + "SyAb3dEf6hIj9lMn2pQr5tUv8xYz1bCd4_-"
	akia  = "AKIA" + "IOSFODNN7EXAMPLE"
	aws   = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
	jwt   = "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	line1 = "MIIEpAIBAAKCAQEA3Tz2mr7SZiAMfQyuvBjM9Oi8pTbqTkVg1HnCcEgT2mqk1xk9"
	line2 = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4"
	begin = "-----BEGIN RSA " + "PRIVATE KEY-----"
	end   = "-----END RSA " + "PRIVATE KEY-----"
	key   = begin + "\n" + line1 + "\n" + line2 + "\nab12+/==\n" + end + "\n"
)

// example is a text and what is left of it.
type example struct{ in, want string }

var shapes = []example{
	{"push with " + ghp + " now", "push with [redacted: github-token] now"},
	{pat, "[redacted: github-token]"},
	{glpat + ".", "[redacted: gitlab-token]."},
	{"(" + slack + ")", "([redacted: slack-token])"},
	{oai, "[redacted: openai-key]"},
	{proj, "[redacted: openai-key]"},
	{ant, "[redacted: anthropic-key]"},
	{"?key=" + goog + "&q=1", "?key=[redacted: google-key]&q=1"},
	{"id " + akia + "\n", "id [redacted: aws-access-key-id]\n"},
	{akia + "," + aws, "[redacted: aws-access-key-id],[redacted: aws-secret-key]"},
	{"Cookie: s=" + jwt + "; a=b", "Cookie: s=[redacted: jwt]; a=b"},
	{`"out\n` + goog + `\n"`, `"out\n[redacted: google-key]\n"`},
	{"\x1b[31m" + ant + "\x1b[0m", "\x1b[31m[redacted: anthropic-key]\x1b[0m"},
}

// named are secrets by their names, in the spellings of many places.
var named = []example{
	{"GITHUB_TOKEN=" + ghp, "GITHUB_TOKEN=[redacted: github-token]"},
	{"export PASSWORD=hunter", "export PASSWORD=[redacted: password]"},
	{"DB_PASS=hunter2 ./run", "DB_PASS=[redacted: password] ./run"},
	{`PASSWORD="hunter two"`, `PASSWORD="[redacted: password]"`},
	{`{"password":"a\"b","user":"c"}`, `{"password":"[redacted: password]","user":"c"}`},
	{`"{\"apiKey\": \"abc\", \"n\": 1}"`, `"{\"apiKey\": \"[redacted: key]\", \"n\": 1}"`},
	{"  client-secret: 'x y' # note", "  client-secret: '[redacted: secret]' # note"},
	{"db:\n  password: hunter\n", "db:\n  password: [redacted: password]\n"},
	{"aws_secret_access_key = " + aws + "\n", "aws_secret_access_key = [redacted: key]\n"},
	{`password := "hunter"`, `password := "[redacted: password]"`},
	{`const apiToken: string = "t0"`, `const apiToken: string = "[redacted: token]"`},
	{`os.environ["API_TOKEN"] = 'abc'`, `os.environ["API_TOKEN"] = '[redacted: token]'`},
	{`Setenv("API_TOKEN", "abc12345")`, `Setenv("API_TOKEN", "[redacted: token]")`},
	{`'secret' => 'abc'`, `'secret' => '[redacted: secret]'`},
	{"<password>hunter</password>", "<password>[redacted: password]</password>"},
	{"tool --token abc --verbose", "tool --token [redacted: token] --verbose"},
	{"tool --api-key=abc", "tool --api-key=[redacted: key]"},
	{"-H 'Authorization: Bearer abc.def'", "-H 'Authorization: Bearer [redacted: token]'"},
	{"Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted: token]"},
	{`"Authorization": "Bearer abc"`, `"Authorization": "Bearer [redacted: token]"`},
	{"Initial admin password: Xk39fj2q", "Initial admin password: [redacted: password]"},
	{"?access_token=abc&x=1", "?access_token=[redacted: token]&x=1"},
	{"Server=a;Password=abc;User=b", "Server=a;Password=[redacted: password];User=b"},
}

var urlsAndKeys = []example{
	{"postgres://bob:p%40ss@db:5432/x", "postgres://bob:[redacted: password]@db:5432/x"},
	{"redis://:hunter@h", "redis://:[redacted: password]@h"},
	{"https://" + ghp + ":x@github.com", "https://[redacted: github-token]:[redacted: password]@github.com"},
	{key, begin + "\n[redacted: private-key]\n" + end + "\n"},
	{"     1→" + strings.ReplaceAll(key, "\n", "\n     2→"), "     1→" + begin + "\n     2→[redacted: private-key]\n     2→" + end + "\n     2→"},
	{`"` + strings.ReplaceAll(key, "\n", `\n`) + `"`, `"` + begin + `\n[redacted: private-key]\n` + end + `\n"`},
	{"PRIVATE_KEY=\"" + key + "\"", "PRIVATE_KEY=\"" + begin + "\n[redacted: private-key]\n" + end + "\n\""},
}

func TestSecrets(t *testing.T) {
	for _, c := range slices.Concat(shapes, named, urlsAndKeys) {
		if got := String(c.in); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
		}
	}
}

func TestTheRestStays(t *testing.T) {
	for _, s := range []string{
		"",
		"commit 3f786850e387550fdab836ed7e6dc881de23001b",
		"3f786850e387550fdab836ed7e6dc881de23001b  README.md",
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		"id: 123e4567-e89b-12d3-a456-426614174000",
		"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
		"The secret: keep it simple. A token is a word; the password is not stored.",
		"Pass the token: it is checked. Forgot your password? The --token flag is required.",
		`{"input_tokens": 1234, "max_tokens": 4096, "token_count": 7}`,
		`"token": null, "password": "", "secret": "***", "apiKey": "${API_KEY}"`,
		"PASSWORD=$PASS TOKEN=${TOKEN} SECRET=<your-secret> TOKEN=%TOKEN%",
		"token = strings.TrimSpace(x)\ntoken := next()\nif token == nil {\n",
		"password: string;\nPWD=/tmp/x\n--- PASS: TestFoo (0.00s)\n",
		"login(user=u, password=config.password)",
		"https://example.com:8080/a@b?c=d mailto:bob@example.com git@github.com:a/b.git",
		"risk-based task-force disk-usage sk-learn asks-for-nothing",
		"grep -e '" + begin + "' finds keys in the repository\nand " + end + " ends them\n",
		"eyJhbGciOiJIUzI1NiJ9 alone is a header",
		"[redacted: password] [redacted: private-key]",
		"<a accesskey=\"n\"> env = append(env, \"SECRET=\"+canary) // token: https://example.com/v1\nf(password='password')",
		"--password-stdin reads it; ssh-keygen -t ed25519",
	} {
		if got := String(s); got != s {
			t.Errorf("%q\n got %q", s, got)
		}
	}
}

// pieces are what the properties build texts from: secrets, parts of secrets,
// and all that stands around them.
var pieces = []string{
	ghp, pat, glpat, slack, oai, proj, ant, goog, akia, aws, jwt, key, begin, end, line1, line2,
	"ghp_", "eyJ", "AKIA", "sk-", "-----", "TOKEN", "password", "Authorization", "--token", "apiKey", "DB_PASS",
	"=", ":", ": ", " = ", ":=", "://", "@", "/", ".", ",", ";", "\"", "'", "`", "\\", "\\\"", "\\n", "\\\\\\\"",
	" ", "\t", "\n", "\r\n", "{", "}", "[", "]", "<", ">", "(", ")", "$", "%3D", "\x1b[31m", "\x00", "é", "→",
	"a", "1", "word", "hunter2", "Bearer ", "string", "12", "bob", "https", "[redacted: token]", "[redacted: ",
	"-", "_", "#", "+", "|", "abcdefghijklmnopqrstuvwxyz", "3f786850e387550fdab836ed7e6dc881de23001b",
}

func text(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 24).Draw(t, "pieces"), "")
}

// cutAt redacts s in pieces of the given sizes, over and over.
func cutAt(s string, sizes []int) string {
	f, out := New(), []byte(nil)
	for i, b := 0, []byte(s); len(b) > 0; i++ {
		n := min(len(b), sizes[i%len(sizes)])
		out = f.Append(out, b[:n:n])
		b = b[n:]
	}
	return string(f.Flush(out))
}

func TestCutsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := text(t)
		if rapid.IntRange(0, 9).Draw(t, "long") == 0 {
			s = strings.Repeat(s+"x", 1+3*Reach/(len(s)+1)) + s
		}
		sizes := rapid.SliceOfN(rapid.IntRange(1, 60), 1, 5).Draw(t, "sizes")
		if whole, cut := String(s), cutAt(s, sizes); whole != cut {
			t.Fatalf("%q\nwhole %q\n  cut %q", s, whole, cut)
		}
	})
}

// TestBounds: secrets that end near the bounds of what is looked at.
func TestBounds(t *testing.T) {
	fills := []string{"a", "a1", "é", "a b", "\\\"", "-", "eyJ", "/x"}
	befores := []string{"TOKEN=", "TOKEN=`", "password: \"", "{\"apiKey\":\"", "\\\"token\\\": \\\"", "x_", "eyJhbGciOiJIUzI1NiJ9.", "bearer ", ghp, "https://u:"}
	for _, bound := range []int{maxBare, maxWord, Reach} {
		for _, before := range befores {
			for _, fill := range fills {
				for n := bound - 12; n <= bound+12; n += 1 + bound/maxWord {
					s := before + strings.Repeat(fill, n/len(fill)) + "\" " + ghp + "@h\n"
					once(t, s)
					if cut := cutAt(s, []int{701}); cut != String(s) {
						t.Fatalf("%.40q… (%d) depends on the cuts", s, len(s))
					}
				}
			}
		}
	}
}

func TestTwiceIsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { once(t, text(t)) })
}

func once(t interface{ Fatalf(string, ...any) }, s string) {
	first := String(s)
	if again := String(first); again != first {
		t.Fatalf("%q\n once %q\ntwice %q", s, first, again)
	}
	if utf8.ValidString(s) && !utf8.ValidString(first) {
		t.Fatalf("%q became invalid: %q", s, first)
	}
}

func FuzzRedact(f *testing.F) {
	for i := range pieces {
		f.Add(strings.Join(pieces[:i], ""), 1+i)
	}
	f.Fuzz(func(t *testing.T, s string, size int) {
		once(t, s)
		if whole, cut := String(s), cutAt(s, []int{1 + size&63}); whole != cut {
			t.Fatalf("%q\nwhole %q\n  cut %q", s, whole, cut)
		}
	})
}

// TestLongSecrets: what is longer than a Reach goes all the same.
func TestLongSecrets(t *testing.T) {
	long := strings.Repeat("aB3", 2*Reach)
	for _, c := range []struct{ in, want string }{
		{"x " + ghp + long + " y", "x [redacted: github-token] y"},
		{`{"password": "` + long + `"}`, `{"password": "[redacted: password]"}`},
		{`{"password": "` + strings.Repeat(`a \" `, 2*Reach) + `"}`, `{"password": "[redacted: password]"}`},
		{"TOKEN=`" + long + "\nx", "TOKEN=`[redacted: token]\nx"},
		{"TOKEN=" + long + "\nx", "TOKEN=[redacted: token]\nx"},
		{"eyJhbGciOiJIUzI1NiJ9." + long + "." + long + "!", "[redacted: jwt]!"},
		{long + "-" + ghp, long + "-[redacted: github-token]"},
		{long, long},
	} {
		got := String(c.in)
		if got != c.want {
			t.Errorf("%.40q…: %d bytes, want %d: …%.60q", c.in, len(got), len(c.want), got)
		}
		if cut := cutAt(c.in, []int{1000}); cut != got {
			t.Errorf("%.40q… depends on the cuts", c.in)
		}
	}
}

// TestMemoryIsFlat: a stream without end and without newlines is not kept.
func TestMemoryIsFlat(t *testing.T) {
	for _, s := range []string{"a", "a ", `"`, "password=\"", ghp + " ", line1, "=", "\n"} {
		f, out := New(), make([]byte, 0, 256<<10)
		chunk := []byte(strings.Repeat(s, 1+(64<<10)/len(s)))
		for range 64 {
			out = f.Append(out[:0], chunk)
		}
		if cap(f.held) > 3*Reach || cap(f.pem.gap) > 4*keyGap {
			t.Errorf("%q: %d bytes held, %d in a gap", s, cap(f.held), cap(f.pem.gap))
		}
	}
}

// corpus is text as it comes: prose, code, listings, JSON, some secrets.
var corpus = []byte(strings.Repeat(
	"The daemon reads the token from its file; it never prints it.\n"+
		"func (f *Filter) Append(dst, piece []byte) []byte { return append(dst, piece...) }\n"+
		`{"type":"assistant","message":{"id":"msg_01","usage":{"input_tokens":1234},"content":[{"type":"text","text":"done\n"}]}}`+"\n"+
		"drwxr-xr-x 2 root root 4096 Jan  1 12:00 internal/agent/redact\n"+
		"3f786850e387550fdab836ed7e6dc881de23001b refs/heads/main\n"+
		"ok  	example.com/x/internal/session	1.234s	coverage: 91.2% of statements\n", 200) + "TOKEN=" + ghp + "\n")

func BenchmarkRedact(b *testing.B) {
	for _, c := range []struct {
		name string
		text []byte
	}{
		{"text", corpus},
		{"base64", bytes.Repeat([]byte(line2), 2000)},
		{"secrets", []byte(strings.Repeat("TOKEN="+ghp+" password: \"x\" "+jwt+"\n", 500))},
		{"names", []byte(strings.Repeat("token: password = secret ", 5000))},
		{"colons", bytes.Repeat([]byte("token:"), 20000)}, // the worst found among all pairs of pieces
		{"quotes", []byte(strings.Repeat("password=\"'`", 10000))},
		{"dashes", bytes.Repeat([]byte("-_"), 60000)},
		{"prefixes", bytes.Repeat([]byte("ghp_sk-"), 20000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			f, out := New(), make([]byte, 0, 2*len(c.text))
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				for t := c.text; len(t) > 0; {
					n := min(len(t), 4096)
					out = f.Append(out, t[:n])
					t = t[n:]
				}
				out = f.Flush(out)[:0]
			}
		})
	}
}
