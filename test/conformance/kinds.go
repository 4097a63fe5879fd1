// Command kinds reads skill files, base64, one a line, and writes what the founding language's own YAML decoder makes of
// each, as the `want` of a case: go run kinds.go < files. It needs gopkg.in/yaml.v3 and nothing else.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"strings"

	"gopkg.in/yaml.v3"
)

type frontmatter struct {
	Name        string   `yaml:"name" json:"name"`
	Description string   `yaml:"description" json:"description"`
	Tags        []string `yaml:"tags" json:"tags"`
	MCPServer   string   `yaml:"mcp_server" json:"mcp_server"`
}

type want struct {
	OK   bool   `json:"ok"`
	Code string `json:"code,omitempty"`
	*frontmatter
	Body string `json:"body,omitempty"`
}

func parse(raw []byte) want {
	text := bytes.TrimLeft(raw, " \t\r\n")
	if !bytes.HasPrefix(text, []byte("---")) {
		return want{Code: "no-frontmatter"}
	}
	header, body, found := bytes.Cut(text[3:], []byte("\n---"))
	if !found {
		return want{Code: "unterminated"}
	}
	matter := frontmatter{Tags: []string{}}
	if err := yaml.Unmarshal(header, &matter); err != nil {
		return want{Code: "invalid-yaml"}
	}
	if strings.TrimSpace(matter.Name) == "" {
		return want{Code: "missing-name"}
	}
	return want{OK: true, frontmatter: &matter, Body: string(bytes.TrimSpace(body))}
}

func main() {
	files := bufio.NewScanner(os.Stdin)
	files.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for files.Scan() {
		raw, err := base64.StdEncoding.DecodeString(files.Text())
		if err != nil {
			panic(err)
		}
		if err := out.Encode(parse(raw)); err != nil {
			panic(err)
		}
	}
}
