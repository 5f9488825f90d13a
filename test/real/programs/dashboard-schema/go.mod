// Pins the Grafana Foundation SDK whose schema the dashboards have to fit: the version that dashboards makes them with.
module prtg-exporter/dashboard-schema

go 1.26.0

require github.com/grafana/grafana-foundation-sdk/go v0.0.18
