// Pins sigs.k8s.io/gateway-api, whose CRDs the manifests are validated against (scripts/install-test-programs.sh).
module prtg-exporter/test-programs/gateway-api

go 1.26.0

require sigs.k8s.io/gateway-api v1.5.1
