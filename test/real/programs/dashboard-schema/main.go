// Command dashboard-schema holds dashboards against the schema of the Grafana Foundation SDK: unknown fields, missing ones
// and those of another type are errors, in options of panels and in queries too.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/bargauge"
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/geomap"
	"github.com/grafana/grafana-foundation-sdk/go/logs"
	"github.com/grafana/grafana-foundation-sdk/go/loki"
	"github.com/grafana/grafana-foundation-sdk/go/piechart"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/statetimeline"
	"github.com/grafana/grafana-foundation-sdk/go/table"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

// Kinds of panels whose options are known. Only these, as the SDK has dozens, which take minutes to build.
var panels = []variants.PanelcfgConfig{
	bargauge.VariantConfig(),
	geomap.VariantConfig(),
	logs.VariantConfig(),
	piechart.VariantConfig(),
	stat.VariantConfig(),
	statetimeline.VariantConfig(),
	table.VariantConfig(),
	timeseries.VariantConfig(),
}

func check(file string) error {
	raw, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var strict dashboard.Dashboard
	if err := orNil(strict.UnmarshalJSONStrict(raw)); err != nil {
		return err
	}
	// Strictly decoded, panels are looked at and then lost.
	var decoded dashboard.Dashboard
	if err := json.Unmarshal(raw, &decoded); err != nil {
		return err
	}
	for index, either := range decoded.Panels {
		switch {
		case either.RowPanel != nil:
		case either.Panel == nil:
			return fmt.Errorf("panel %d is none", index)
		case !known(either.Panel.Type):
			// The SDK does not look into options of panels that it has not been told of.
			return fmt.Errorf("unknown kind of panel %q", either.Panel.Type)
		}
	}
	return orNil(decoded.Validate())
}

func known(kind string) bool {
	for _, panel := range panels {
		if panel.Identifier == kind {
			return true
		}
	}
	return false
}

// The SDK returns an empty list where it means no error.
func orNil(err error) error {
	var found cog.BuildErrors
	if errors.As(err, &found) && len(found) == 0 {
		return nil
	}
	return err
}

func main() {
	runtime := cog.NewRuntime()
	for _, panel := range panels {
		runtime.RegisterPanelcfgVariant(panel)
	}
	runtime.RegisterDataqueryVariant(loki.VariantConfig())
	runtime.RegisterDataqueryVariant(prometheus.VariantConfig())
	code := 0
	for _, file := range os.Args[1:] {
		if err := check(file); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", file, err)
			code = 1
			continue
		}
		fmt.Printf("%s fits\n", file)
	}
	os.Exit(code)
}
