// Reads the Dockerfile of a folder with BuildKit's own parser, linter and translator, and prints as JSON what BuildKit
// says about it and what it would do, so that tests can hold it to that where no container engine is at hand.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/containerd/platforms"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerui"
	"github.com/moby/buildkit/frontend/subrequests/lint"
	"github.com/moby/buildkit/solver/pb"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
	digest "github.com/opencontainers/go-digest"
	ocispecs "github.com/opencontainers/image-spec/specs-go/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// baseConfig stands for the configuration of base images, which are not fetched. A layer, or they would be taken for empty.
const baseConfig = `{
	"architecture": %q, "os": %q,
	"config": {"Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]},
	"rootfs": {"type": "layers", "diff_ids": ["sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"]}
}`

type offlineImages struct{}

func (offlineImages) ResolveImageConfig(_ context.Context, ref string, opt sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	platform := platforms.DefaultSpec()
	if opt.ImageOpt != nil && opt.ImageOpt.Platform != nil {
		platform = *opt.ImageOpt.Platform
	}
	return ref, "", fmt.Appendf(nil, baseConfig, platform.Architecture, platform.OS), nil
}

type report struct {
	Warnings []lint.Warning   `json:"warnings"`
	Error    *lint.BuildError `json:"error,omitempty"`
	Ops      []operation      `json:"ops"`
	Image    json.RawMessage  `json:"image"`
	Context  []string         `json:"context"`
}

// operation is a step of the build; the last one is the result, whose input is the image's file system.
type operation struct {
	Digest digest.Digest   `json:"digest"`
	Op     json.RawMessage `json:"op"`
}

type buildArgs map[string]string

func (args buildArgs) String() string { return "" }

func (args buildArgs) Set(text string) error {
	name, value, found := strings.Cut(text, "=")
	if !found {
		return fmt.Errorf("want NAME=VALUE")
	}
	args[name] = value
	return nil
}

func main() {
	args := buildArgs{}
	build := flag.String("build-platform", "linux/amd64", "platform of the builder")
	target := flag.String("platform", "linux/amd64", "platform of the image")
	flag.Var(args, "build-arg", "NAME=VALUE, may be repeated")
	flag.Parse()
	if err := run(flag.Arg(0), *build, *target, args); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder, build, target string, args buildArgs) error {
	dockerfile, err := os.ReadFile(filepath.Join(folder, "Dockerfile"))
	if err != nil {
		return err
	}
	ctx := context.Background()
	options, err := convertOptions(dockerfile, build, target, args)
	if err != nil {
		return err
	}
	found, err := dockerfile2llb.DockerfileLint(ctx, dockerfile, options)
	if err != nil {
		return err
	}
	result := report{Warnings: found.Warnings, Error: found.Error}
	if result.Context, err = contextFiles(folder); err != nil {
		return err
	}
	if found.Error == nil {
		if err := translate(ctx, dockerfile, options, &result); err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

func convertOptions(dockerfile []byte, build, target string, args buildArgs) (dockerfile2llb.ConvertOpt, error) {
	builder, err := platforms.Parse(build)
	if err != nil {
		return dockerfile2llb.ConvertOpt{}, err
	}
	wanted, err := platforms.Parse(target)
	if err != nil {
		return dockerfile2llb.ConvertOpt{}, err
	}
	mainContext := llb.Local("context")
	// The linter wants to know of which build the text came: of none.
	source := llb.NewSourceMap(nil, "Dockerfile", "Dockerfile", dockerfile)
	source.Definition = &llb.Definition{}
	return dockerfile2llb.ConvertOpt{
		Config: dockerui.Config{
			BuildArgs:      args,
			BuildPlatforms: []ocispecs.Platform{builder},
			LinterConfig:   &linter.Config{ExperimentalAll: true},
		},
		MainContext:    &mainContext,
		SourceMap:      source,
		TargetPlatform: &wanted,
		MetaResolver:   offlineImages{},
	}, nil
}

func translate(ctx context.Context, dockerfile []byte, options dockerfile2llb.ConvertOpt, into *report) error {
	options.AllStages = false
	translated, err := dockerfile2llb.Dockerfile2LLB(ctx, dockerfile, options)
	if err != nil {
		return err
	}
	if into.Image, err = json.Marshal(translated.Image); err != nil {
		return err
	}
	definition, err := translated.State.Marshal(ctx, llb.Platform(*options.TargetPlatform))
	if err != nil {
		return err
	}
	for _, bytes := range definition.Def {
		var op pb.Op
		if err := op.UnmarshalVT(bytes); err != nil {
			return err
		}
		text, err := protojson.Marshal(&op)
		if err != nil {
			return err
		}
		into.Ops = append(into.Ops, operation{Digest: digest.FromBytes(bytes), Op: text})
	}
	return nil
}

// contextFiles are the files that go to the builder: all but those that .dockerignore leaves out.
func contextFiles(folder string) ([]string, error) {
	files := []string{}
	patterns, err := ignorePatterns(folder)
	if err != nil {
		return nil, err
	}
	matcher, err := patternmatcher.New(patterns)
	if err != nil {
		return nil, err
	}
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			// Too many, and never wanted: matched as a whole.
			if name := entry.Name(); name == "node_modules" || name == ".git" {
				return skipIgnored(matcher, folder, path)
			}
			return nil
		}
		relative, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		ignored, err := matcher.MatchesOrParentMatches(relative)
		if err == nil && !ignored {
			files = append(files, filepath.ToSlash(relative))
		}
		return err
	})
	return files, err
}

func skipIgnored(matcher *patternmatcher.PatternMatcher, folder, path string) error {
	relative, err := filepath.Rel(folder, path)
	if err != nil {
		return err
	}
	ignored, err := matcher.MatchesOrParentMatches(relative)
	if err == nil && ignored {
		return fs.SkipDir
	}
	return err
}

func ignorePatterns(folder string) ([]string, error) {
	file, err := os.Open(filepath.Join(folder, ".dockerignore"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return ignorefile.ReadAll(file)
}
