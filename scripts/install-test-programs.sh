#!/usr/bin/env bash
# Installs the real programs that the tests in test/real run: two generations of Prometheus with promtool, an
# OpenTelemetry Collector, and Python programs that this project did not write. Needs no root and starts no service:
# everything goes to one cache folder outside the repository, so a second run has nothing left to do.
set -euo pipefail

repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pins="$repo/test/real/programs"
cache=${PRTG_EXPORTER_TEST_CACHE:-${XDG_CACHE_HOME:-${HOME:?}/.cache}/prtg-exporter-tests}
bin="$cache/bin"
go_module=github.com/prometheus/prometheus
# Without its service discovery plugins Prometheus builds much quicker, and the tests use static targets only.
go_build_tags=remove_all_sd

skipped=0
failed=0
mkdir -p "$bin"
work=$(mktemp -d "$cache/work.XXXXXX")
trap 'rm -rf "$work"' EXIT

say() { printf '%-20s %s\n' "$1" "$2"; }

skip() {
  say "$1" "SKIPPED: $2"
  skipped=$((skipped + 1))
}

fail() {
  say "$1" "FAILED: $2; the end of its log:"
  tail -n 30 "$work/log" | sed 's/^/    /'
  failed=$((failed + 1))
}

have() { command -v "$1" >/dev/null 2>&1; }

# Registries answer with a passing error now and then.
retry() {
  local attempt
  for attempt in 1 2 3; do
    if "$@" >>"$work/log" 2>&1; then return 0; fi
    echo "attempt $attempt failed: $*" >>"$work/log"
    sleep $((attempt * 3))
  done
  return 1
}

# publish NAME FILE [ARGUMENT]: the tests find the program as bin/NAME.
# A wrapper, not a link: Python knows its virtual environment by the path it was started as.
publish() {
  # shellcheck disable=SC2016 # "$@" is for the wrapper to expand
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$2" >"$work/$1"
  chmod +x "$work/$1"
  mv "$work/$1" "$bin/$1"
}

is_version_2() { [[ $("$1" --version 2>&1) == *"version 2."* ]]; }

install_prometheus_2() {
  local name=prometheus-2 version target
  if is_version_2 "$bin/prometheus-2" && is_version_2 "$bin/promtool-2"; then
    say "$name" "installed $("$bin/prometheus-2" --version 2>&1 | sed -n "1s|.*version \([^ ]*\).*|\1|p")"
    return
  fi
  if ! have apt-get || ! have dpkg-deb; then
    skip "$name" "it comes from Debian's package 'prometheus', and this machine has no apt-get"
    return
  fi
  say "$name" "unpacking Debian's package"
  # Private package lists, and unpacking instead of installing: no root, no service, no change to the system.
  mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial" "$work/package"
  local apt=(apt-get -q
    -o "Dir::State::lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache" -o "APT::Sandbox::User=$(id -un)")
  : >"$work/log"
  if ! retry "${apt[@]}" update; then fail "$name" "apt-get update"; return; fi
  if ! (cd "$work/package" && retry "${apt[@]}" download prometheus); then fail "$name" "apt-get download"; return; fi
  version=$(dpkg-deb --field "$work"/package/*.deb Version)
  if [[ $version != 2.* ]]; then
    skip "$name" "this system's package is $version, and the tests want a 2.x"
    return
  fi
  target="$cache/debian-prometheus-$version"
  rm -rf "$target"
  dpkg-deb --extract "$work"/package/*.deb "$work/unpacked"
  mv "$work/unpacked" "$target"
  publish prometheus-2 "$target/usr/bin/prometheus"
  publish promtool-2 "$target/usr/bin/promtool"
  say "$name" "installed $version"
}

install_prometheus_3() {
  local name=prometheus-3 version key target
  version=$(sed -n "s|.*$go_module v0\.\([0-9]\)\([0-9][0-9]\)\.\([0-9]*\).*|\1.\2.\3|p" "$pins/go.mod" | sed 's/\.0\([0-9]\)\./.\1./')
  key=$(cat "$pins/go.mod" "$pins/go.sum" | cksum | cut -d ' ' -f 1)
  target="$cache/go-prometheus-$version-$key"
  if [[ ! -x $target/prometheus || ! -x $target/promtool ]]; then
    if ! have go; then
      skip "$name" "it is built from source, and this machine has no Go toolchain (see the go line in test/real/programs/go.mod)"
      return
    fi
    say "$name" "building $version from its Go module (some minutes, once)"
    : >"$work/log"
    if ! build_prometheus_3 "$version"; then fail "$name" "go build"; return; fi
    rm -rf "$target"
    mv "$work/go" "$target"
  fi
  publish prometheus-3 "$target/prometheus"
  publish promtool-3 "$target/promtool"
  say "$name" "installed $version"
}

build_prometheus_3() (
  stamp="-X github.com/prometheus/common/version.Version=$1"
  cd "$pins" || exit 1
  # A caller's workspace or flags must not change what the pins say.
  GOWORK=off GOFLAGS='' CGO_ENABLED=0 retry go build -trimpath -buildvcs=false -mod=readonly \
    -tags "$go_build_tags" -ldflags "-s -w $stamp" -o "$work/go/" tool
)

install_otel_collector() {
  local name=otel-collector version key target
  version=$(sed -n 's/^ *version: //p' "$pins/collector/builder.yaml")
  key=$(cat "$pins/collector/builder.yaml" "$pins/collector/go.mod" "$pins/collector/go.sum" | cksum | cut -d ' ' -f 1)
  target="$cache/go-otel-collector-$version-$key"
  if [[ ! -x $target/otel-collector ]]; then
    if ! have go; then
      skip "$name" "it is built from source, and this machine has no Go toolchain (see the go line in test/real/programs/collector/go.mod)"
      return
    fi
    say "$name" "building $version with its builder (some minutes, once)"
    : >"$work/log"
    if ! build_otel_collector; then fail "$name" "builder"; return; fi
    mkdir -p "$target"
    mv "$work/collector/otel-collector" "$target/"
  fi
  publish otel-collector "$target/otel-collector"
  say "$name" "installed $version"
}

# The builder writes its sources beside the pins, so it works on a copy of them.
build_otel_collector() (
  cp -R "$pins/collector" "$work/collector"
  cd "$work/collector" || exit 1
  GOWORK=off GOFLAGS='-mod=readonly -buildvcs=false' CGO_ENABLED=0 retry go tool builder \
    --config=builder.yaml --skip-get-modules
)

# install_python NAME PACKAGE PROGRAM REQUIREMENTS: a virtual environment of its own for what the file pins;
# PROGRAM, in the environment's bin, is what the tests run.
install_python() {
  local name=$1 package=$2 program=$3 requirements=$pins/$4 version target
  version=$(sed -n "s/^$package==\([0-9.]*\).*/\1/p" "$requirements")
  target="$cache/python-$package-$version-$(cksum <"$requirements" | cut -d ' ' -f 1)"
  # Written last: an environment without it is half of one.
  if [[ ! -f $target/complete ]]; then
    if ! have python3 || ! python3 -c 'import venv, ensurepip' >/dev/null 2>&1; then
      skip "$name" "it needs python3 with venv (on Debian: the package python3-venv)"
      return
    fi
    say "$name" "installing $package $version"
    : >"$work/log"
    rm -rf "$target"
    if ! retry python3 -m venv "$target" ||
      ! retry "$target/bin/python" -m pip install --no-input --disable-pip-version-check -r "$requirements"; then
      fail "$name" "pip install"
      return
    fi
    touch "$target/complete"
  fi
  publish "$name" "$target/bin/$program"
  say "$name" "installed $version"
}

echo "Programs for the tests in test/real, in $cache"
install_prometheus_2
install_python python-openmetrics prometheus-client python requirements.txt
install_python schemathesis schemathesis schemathesis schemathesis-requirements.txt
install_prometheus_3
install_otel_collector

if ((failed > 0)); then
  echo "$failed could not be installed, $skipped skipped"
  exit 1
fi
if ((skipped > 0)); then
  echo "$skipped skipped: the tests that need them are skipped too"
  [[ ${PRTG_EXPORTER_REQUIRE_PROGRAMS:-} != 1 ]]
fi
