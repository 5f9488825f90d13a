// Pins k8s.io/autoscaler/vertical-pod-autoscaler, whose CRDs the manifests are validated against (scripts/install-test-programs.sh).
module prtg-exporter/test-programs/vertical-pod-autoscaler

go 1.26.0

require k8s.io/autoscaler/vertical-pod-autoscaler v1.7.0
