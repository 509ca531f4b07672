package server

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tendhq/tend/api"
)

var update = flag.Bool("update", false, "rewrite the generated files")

// The document in the public package is the one that the server serves.
func TestOpenAPIDocument(t *testing.T) {
	path := filepath.Join("..", "..", "api", "openapi.json")
	want := Document()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatal("api/openapi.json does not match the routes: run go generate ./api/... and read the difference")
	}
}

// spec is what these tests read of the document.
type spec struct {
	OpenAPI string `json:"openapi"`
	Paths   map[string]map[string]struct {
		OperationID string `json:"operationId"`
		Responses   map[string]struct {
			Content map[string]struct {
				Schema struct {
					Ref string `json:"$ref"`
				}
			}
		}
		RequestBody *struct{ Required bool }
	}
	Components struct{ Schemas map[string]json.RawMessage }
}

func readSpec(t *testing.T) spec {
	t.Helper()
	var doc spec
	if err := json.Unmarshal(Document(), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// Each route of the interface is described, and nothing else.
func TestOpenAPIMatchesRoutes(t *testing.T) {
	doc := readSpec(t)
	want := []string{
		"GET /api/v1/doctor", "GET /api/v1/events", "GET /api/v1/sessions", "GET /api/v1/sessions/{id}",
		"GET /api/v1/sessions/{id}/explain", "GET /api/v1/sessions/{id}/output", "GET /api/v1/sessions/{id}/screen",
		"GET /api/v1/status", "POST /api/v1/sessions", "POST /api/v1/shutdown",
	}
	for _, v := range []api.Verb{
		api.VerbSend, api.VerbAnswer, api.VerbInterrupt, api.VerbStop, api.VerbResume, api.VerbRetry, api.VerbConfirm,
		api.VerbDismiss, api.VerbDone, api.VerbClose, api.VerbReopen, api.VerbKeep, api.VerbUnkeep, api.VerbRename,
	} {
		want = append(want, "POST /api/v1/sessions/{id}/"+string(v))
	}
	var got []string
	for path, methods := range doc.Paths {
		for m := range methods {
			got = append(got, strings.ToUpper(m)+" "+path)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("described routes\n got %q\nwant %q", got, want)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("openapi %s", doc.OpenAPI)
	}
}

// Each error is described as a problem, and each reference leads somewhere.
func TestOpenAPIErrorsAndReferences(t *testing.T) {
	doc := readSpec(t)
	for path, methods := range doc.Paths {
		for m, op := range methods {
			for status, r := range op.Responses {
				if status[0] == '2' {
					continue
				}
				if ref := r.Content["application/problem+json"].Schema.Ref; ref != "#/components/schemas/Error" {
					t.Errorf("%s %s: %s is described as %q", m, path, status, ref)
				}
			}
		}
	}
	for _, ref := range regexp.MustCompile(`#/components/schemas/(\w+)`).FindAllSubmatch(Document(), -1) {
		if _, ok := doc.Components.Schemas[string(ref[1])]; !ok {
			t.Errorf("%s is not in the document", ref[0])
		}
	}
}
