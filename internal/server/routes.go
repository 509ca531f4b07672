package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/tendhq/tend/api"
	"github.com/tendhq/tend/internal/session"
)

// Field names are what the document says they are, in this case too.
func init() { huma.ValidateStrictCasing = true }

// register hooks every route to the mux. The OpenAPI document comes from the
// same registrations.
func (h *Handler) register() {
	a := humago.New(h.mux, h.apiConfig())
	h.registerSessions(a)
	h.registerVerbs(a)
	h.registerReads(a)
	h.registerDaemon(a)
	h.registerEvents(a)
	h.document = document(a)
	h.mux.HandleFunc("GET "+api.Prefix+"/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/openapi+json")
		_, _ = w.Write(h.document) // the client may be gone
	})
	h.mux.HandleFunc("/", h.noRoute)
}

func (h *Handler) apiConfig() huma.Config {
	cfg := huma.DefaultConfig("tend", "1")
	cfg.Info.Description = "The supervisor for interactive coding agents. Errors are problems (RFC 9457) with a stable code."
	cfg.OpenAPIPath, cfg.DocsPath, cfg.SchemasPath = "", "", ""
	cfg.CreateHooks = nil // no $schema in answers
	cfg.Transformers = []huma.Transformer{translate}
	cfg.RejectUnknownQueryParameters = true
	f := huma.Format{Marshal: writeJSON, Unmarshal: readJSON}
	cfg.Formats = map[string]huma.Format{"application/json": f, "json": f}
	cfg.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[api.Time](), reflect.TypeFor[instant]())
	return cfg
}

// instant is the schema of api.Time.
type instant string

// Schema describes RFC 3339 in UTC with exactly three decimals.
func (instant) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Pattern: `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`}
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// readJSON refuses what package json would quietly repair.
func readJSON(data []byte, v any) error {
	if !utf8.Valid(data) {
		return fmt.Errorf("the body is not valid UTF-8")
	}
	return json.Unmarshal(data, v)
}

// document is the OpenAPI document, without the error type that huma brings.
// What clients read may gain fields; only what they send is closed.
func document(a huma.API) []byte {
	schemas := a.OpenAPI().Components.Schemas.Map()
	delete(schemas, "ErrorModel")
	delete(schemas, "ErrorDetail")
	for name, s := range schemas {
		if !strings.HasSuffix(name, "Request") && name != "Nothing" && name != "Size" {
			s.AdditionalProperties = nil
		}
	}
	data, err := json.MarshalIndent(a.OpenAPI(), "", "  ")
	if err != nil {
		panic(fmt.Sprintf("the routes have no OpenAPI document: %v", err))
	}
	return append(data, '\n')
}

// Document is the OpenAPI 3.1 document of the routes.
func Document() []byte { return New(Config{}).document }

// operation describes a route; problems are the HTTP statuses of its errors.
func operation(a huma.API, id, method, path, summary string, problems ...int) huma.Operation {
	schema := a.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[api.Error](), true, "")
	responses := map[string]*huma.Response{}
	for _, status := range append(problems, http.StatusInternalServerError) {
		responses[strconv.Itoa(status)] = &huma.Response{
			Description: http.StatusText(status),
			Content:     map[string]*huma.MediaType{problemType: {Schema: schema}},
		}
	}
	return huma.Operation{
		OperationID: id, Method: method, Path: api.Prefix + path, Summary: summary, Responses: responses,
		MaxBodyBytes: maxBody + 1, BodyReadTimeout: bodyTimeout,
	}
}

// body is an answer with a JSON body.
type body[T any] struct{ Body T }

func (h *Handler) noRoute(w http.ResponseWriter, r *http.Request) {
	for _, m := range []string{http.MethodGet, http.MethodPost} {
		other := r.Clone(r.Context())
		other.Method = m
		if _, pattern := h.mux.Handler(other); pattern != "/" && m != r.Method {
			w.Header().Set("Allow", m)
			writeProblem(w, newProblem(http.StatusMethodNotAllowed, api.CodeUsage, r.Method+" does not fit this route", "use "+m))
			return
		}
	}
	writeProblem(w, newProblem(http.StatusNotFound, api.CodeNotFound, "there is no such route", api.Prefix+"/openapi.json lists them"))
}

// resolve finds the session that a path names.
func (h *Handler) resolve(ctx context.Context, name string) (session.ID, error) {
	id, err := h.cfg.Service.Resolve(ctx, name)
	if errors.Is(err, session.ErrNotFound) {
		return "", newProblem(http.StatusNotFound, api.CodeNotFound, fmt.Sprintf("no session has the id or name %.100q", name), listAll)
	}
	if err != nil {
		return "", h.fail(ctx, "find session", err)
	}
	return id, nil
}
