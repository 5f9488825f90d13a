// Peer of the scrape bench: the same series as const metrics of client_golang, made for each scrape, as an exporter
// written with it does.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

type series struct {
	values []string
	value  float64
}

type family struct {
	desc   *prometheus.Desc
	series []series
}

type collector []*family

func (c collector) Describe(descriptions chan<- *prometheus.Desc) {
	for _, f := range c {
		descriptions <- f.desc
	}
}

func (c collector) Collect(metrics chan<- prometheus.Metric) {
	for _, f := range c {
		for _, s := range f.series {
			metrics <- prometheus.MustNewConstMetric(f.desc, prometheus.GaugeValue, s.value, s.values...)
		}
	}
}

func main() {
	families, err := read(os.Args[1])
	if err != nil {
		fail(err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(families)
	http.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fail(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	fail(http.Serve(listener, nil))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// read reads JSON lines: an object for a family, then an array of label values and value for each of its series.
func read(file string) (collector, error) {
	input, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer input.Close()
	var families collector
	lines := bufio.NewScanner(input)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if lines.Bytes()[0] == '{' {
			var head struct {
				Name, Help string
				Labels     []string
			}
			if err := json.Unmarshal(lines.Bytes(), &head); err != nil {
				return nil, err
			}
			desc := prometheus.NewDesc(head.Name, head.Help, head.Labels, nil)
			families = append(families, &family{desc: desc})
			continue
		}
		var values []string
		var text string
		if err := json.Unmarshal(lines.Bytes(), &[]any{&values, &text}); err != nil {
			return nil, err
		}
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, err
		}
		last := families[len(families)-1]
		last.series = append(last.series, series{values, value})
	}
	return families, lines.Err()
}
