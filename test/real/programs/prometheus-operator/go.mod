// Pins the Prometheus operator, whose CRDs the manifests are validated against (scripts/install-test-programs.sh).
module prtg-exporter/test-programs/prometheus-operator

go 1.26.0

require github.com/prometheus-operator/prometheus-operator v0.85.0
