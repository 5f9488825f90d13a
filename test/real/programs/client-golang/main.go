// Command client-golang-page holds the series of a metrics page as client_golang users would, and serves them: GaugeVec,
// WithLabelValues, promhttp. Each minute all values change. Its own processor time and memory are at /own.
package main

import (
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

const interval = time.Minute

type series struct {
	gauge *prometheus.GaugeVec
	// Reused by each update, as a collector reuses what it read.
	labels []string
	value  float64
}

func read(file string, registry *prometheus.Registry) ([]series, error) {
	page, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer page.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(page)
	if err != nil {
		return nil, err
	}
	var all []series
	for name, family := range families {
		var gauge *prometheus.GaugeVec
		for _, metric := range family.Metric {
			names, labels := []string{}, []string{}
			for _, pair := range metric.Label {
				names, labels = append(names, pair.GetName()), append(labels, pair.GetValue())
			}
			if gauge == nil {
				gauge = prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: family.GetHelp()}, names)
				registry.MustRegister(gauge)
			}
			value := metric.GetGauge().GetValue() + metric.GetCounter().GetValue() + metric.GetUntyped().GetValue()
			all = append(all, series{gauge, labels, value})
		}
	}
	return all, nil
}

func update(all []series, round float64) {
	for _, each := range all {
		each.gauge.WithLabelValues(each.labels...).Set(each.value + round/8)
	}
}

func main() {
	registry, own := prometheus.NewRegistry(), prometheus.NewRegistry()
	own.MustRegister(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	all, err := read(os.Args[1], registry)
	if err != nil {
		log.Fatal(err)
	}
	update(all, 0)
	http.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	http.Handle("/own", promhttp.HandlerFor(own, promhttp.HandlerOpts{}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d series on http://%s\n", len(all), listener.Addr())
	go func() {
		for round := 1.0; ; round++ {
			time.Sleep(interval)
			update(all, round)
		}
	}()
	log.Fatal(http.Serve(listener, nil))
}
