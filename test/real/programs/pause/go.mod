// The first process of each pod of test/cluster (scripts/install-test-programs.sh builds it).
module prtg-exporter/test-programs/pause

go 1.26.0
