#!/usr/bin/env bash
# Installs the real programs that the tests in test/real run: two generations of Prometheus with promtool, VictoriaMetrics
# with vmagent, Alertmanager, an OpenTelemetry Collector, Chromium, Helm, on request a Kubernetes, and Python programs that
# this project did not write. Needs no root and starts no service:
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
# A wrapper must not call itself if the caller's PATH has this folder.
PATH=$(printf %s "$PATH" | tr : '\n' | grep -vxF "$bin" | paste -sd :)
work=$(mktemp -d "$cache/work.XXXXXX")
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 143' TERM

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
  # A name of its own: what the program was unpacked from may be a folder of the same name.
  local wrapper="$work/wrapper-of-$1"
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$2" >"$wrapper"
  chmod +x "$wrapper"
  mv "$wrapper" "$bin/$1"
}

# Private package lists, and unpacking instead of installing: no root, no service, no change to the system. Read once,
# for the first program that needs them; afterwards `apt` is the command that uses them.
apt=()
read_package_lists() {
  if ((${#apt[@]} > 0)); then return; fi
  mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
  local command=(apt-get -q
    -o "Dir::State::lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache" -o "APT::Sandbox::User=$(id -un)")
  if ! retry "${command[@]}" update; then return 1; fi
  apt=("${command[@]}")
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
  mkdir -p "$work/package"
  : >"$work/log"
  if ! read_package_lists; then fail "$name" "apt-get update"; return; fi
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

# A small program of our own around the SDK that carries the schema of Grafana's dashboards.
install_dashboard_schema() {
  local name=dashboard-schema source=$pins/dashboard-schema version target
  version=$(sed -n 's|.*grafana-foundation-sdk/go v||p' "$source/go.mod")
  target="$cache/go-dashboard-schema-$version-$(cat "$source"/* | cksum | cut -d ' ' -f 1)"
  if [[ ! -x $target/dashboard-schema ]]; then
    if ! have go; then
      skip "$name" "it is built from source, and this machine has no Go toolchain (see the go line in test/real/programs/dashboard-schema/go.mod)"
      return
    fi
    say "$name" "building with the Grafana Foundation SDK $version"
    : >"$work/log"
    if ! build_dashboard_schema "$source"; then fail "$name" "go build"; return; fi
    mkdir -p "$target"
    mv "$work/dashboard-schema" "$target/"
  fi
  publish dashboard-schema "$target/dashboard-schema"
  say "$name" "installed $version"
}

build_dashboard_schema() (
  cd "$1" || exit 1
  GOWORK=off GOFLAGS='' CGO_ENABLED=0 retry go build -trimpath -buildvcs=false -mod=readonly -o "$work/dashboard-schema" .
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

# Chromium with those of its libraries that this system lacks, unpacked from Debian's packages: no root, no change to
# the system. A browser that is installed already is taken as it is.
install_chromium() {
  local name=chromium installed version target packages
  if [[ ! -d $repo/tools/browser/node_modules ]]; then
    : >"$work/log"
    if ! have npm; then skip "$name" "what drives it comes by npm"; return; fi
    if ! (cd "$repo/tools/browser" && retry npm ci --no-audit --no-fund); then fail "$name" "npm ci in tools/browser"; return; fi
  fi
  if installed=$(command -v chromium); then
    publish chromium "$installed"
    say "$name" "found $installed"
    return
  fi
  for target in "$cache"/debian-chromium-*; do
    if [[ -f $target/complete ]]; then
      publish chromium "$target/start"
      say "$name" "installed ${target##*/debian-chromium-}"
      return
    fi
  done
  if ! have apt-get || ! have dpkg-deb; then
    skip "$name" "it comes from Debian's package 'chromium', and this machine has no apt-get"
    return
  fi
  mkdir -p "$work/browser"
  : >"$work/log"
  if ! read_package_lists; then fail "$name" "apt-get update"; return; fi
  packages=$("${apt[@]}" --simulate --no-install-recommends install chromium fonts-dejavu-core 2>>"$work/log" |
    sed -n 's/^Inst \([^ ]*\) .*/\1/p' | sort)
  if [[ -z $packages ]]; then
    skip "$name" "this system has no package 'chromium' (another browser may be linked as bin/chromium)"
    return
  fi
  version=$("${apt[@]}" --simulate --no-install-recommends install chromium 2>>"$work/log" |
    sed -n 's/^Inst chromium (\([^ ]*\) .*/\1/p')
  target="$cache/debian-chromium-$version"
  say "$name" "unpacking Debian's package and the libraries it needs"
  # shellcheck disable=SC2086 # one word for each package
  if ! (cd "$work/browser" && retry "${apt[@]}" download $packages); then fail "$name" "apt-get download"; return; fi
  rm -rf "$target"
  mkdir -p "$target"
  local package
  for package in "$work"/browser/*.deb; do
    if ! dpkg-deb --extract "$package" "$target" >>"$work/log" 2>&1; then fail "$name" "dpkg-deb"; return; fi
  done
  write_chromium_start "$target"
  # Written last: a browser without it is half of one.
  touch "$target/complete"
  publish chromium "$target/start"
  say "$name" "installed $version"
}

# The package's own start script knows no other place than /usr.
write_chromium_start() {
  local libraries
  libraries=$(find "$1" -name '*.so*' -printf '%h\n' | sort -u | paste -sd :)
  printf '#!/bin/sh\nexport LD_LIBRARY_PATH="%s"\nexport XDG_DATA_DIRS="%s:/usr/local/share:/usr/share"\nexec "%s" "$@"\n' \
    "$libraries" "$1/usr/share" "$1/usr/lib/chromium/chromium" >"$1/start"
  chmod +x "$1/start"
}

# VitePress, for the test of the documentation site.
install_site() {
  local name=site
  : >"$work/log"
  if ! have npm; then skip "$name" "it comes by npm"; return; fi
  if ! (cd "$repo" && retry node scripts/install-missing.cjs --in docs); then fail "$name" "npm ci in docs"; return; fi
  say "$name" "installed VitePress $(sed -n 's/.*"vitepress": "\(.*\)".*/\1/p' "$repo/docs/package.json")"
}

# The bench compares with these. Without them it skips that comparison and says so.
install_nginx() {
  local name=nginx found version target
  found=$(PATH=$PATH:/usr/sbin:/usr/local/sbin command -v nginx || true)
  if [[ -n $found && $found != "$bin/nginx" ]]; then
    publish nginx "$found"
    say "$name" "found $found"
    return
  fi
  if ! have apt-get || ! have dpkg-deb; then
    skip "$name" "it comes from Debian's package 'nginx', and this machine has no apt-get"
    return
  fi
  mkdir -p "$work/nginx"
  : >"$work/log"
  if ! read_package_lists; then fail "$name" "apt-get update"; return; fi
  if ! (cd "$work/nginx" && retry "${apt[@]}" download nginx); then fail "$name" "apt-get download"; return; fi
  version=$(dpkg-deb --field "$work"/nginx/*.deb Version)
  target="$cache/debian-nginx-$version"
  rm -rf "$target"
  if ! dpkg-deb --extract "$work"/nginx/*.deb "$target" >>"$work/log" 2>&1; then fail "$name" "dpkg-deb"; return; fi
  if ! "$target/usr/sbin/nginx" -v >>"$work/log" 2>&1; then
    skip "$name" "it needs libraries that this system lacks: install the package 'nginx'"
    return
  fi
  publish nginx "$target/usr/sbin/nginx"
  say "$name" "installed $version"
}

# The registries of the release rehearsal.
install_registries() {
  local name=docker-registry target
  if ! "$bin/$name" --version >/dev/null 2>&1; then
    if ! have apt-get || ! have dpkg-deb; then
      skip "$name" "it comes from Debian's package, and this machine has no apt-get"
      return
    fi
    : >"$work/log"
    if ! target=$(unpack_debian "$name" "$name"); then fail "$name" "apt-get download"; return; fi
    publish "$name" "$target/usr/bin/$name"
  fi
  say "$name" "installed $("$bin/$name" --version | sed 's/.* //')"
  name=verdaccio
  : >"$work/log"
  if ! have npm; then skip "$name" "it comes by npm"; return; fi
  if ! (cd "$repo" && retry node scripts/install-missing.cjs --in tools/npm-registry); then fail "$name" "npm ci in tools/npm-registry"; return; fi
  say "$name" "installed $(sed -n 's/.*"verdaccio": "\(.*\)".*/\1/p' "$repo/tools/npm-registry/package.json")"
}

# Clients of the tools for agents: the inspector and the client library of the Model Context Protocol.
install_mcp_inspector() {
  local name=mcp-inspector
  : >"$work/log"
  if ! have npm; then skip "$name" "it comes by npm"; return; fi
  if [[ ! -d $repo/tools/mcp/node_modules ]]; then
    if ! (cd "$repo/tools/mcp" && retry npm ci --ignore-scripts --no-audit --no-fund); then fail "$name" "npm ci in tools/mcp"; return; fi
  fi
  publish "$name" "$repo/tools/mcp/node_modules/.bin/mcp-inspector"
  say "$name" "installed $(sed -n 's/.*"@modelcontextprotocol\/inspector": "\(.*\)".*/\1/p' "$repo/tools/mcp/package.json")"
}

# build_go NAME FOLDER [LDFLAGS]: what the module in the folder of pins is or names as its tools, or go_packages of it,
# with go_tags.
build_go() (
  cd "$pins/$2" || exit 1
  targets=$(sed -n '/^tool/s/.*/tool/p' go.mod | sed -n 1p)
  GOWORK=off GOFLAGS='' CGO_ENABLED=0 retry go build -trimpath -buildvcs=false -mod=readonly \
    -tags "${go_tags:-}" -ldflags "-s -w ${3:-}" -o "$work/$1/" "${go_packages[@]:-${targets:-.}}"
)

# install_go NAME FOLDER VERSION PROGRAM...: builds what test/real/programs/FOLDER pins. A program that the tests know by
# another name than its maker gave it is OURS=THEIRS.
install_go() {
  local name=$1 folder=$2 version=$3 key target program
  shift 3
  key=$(cat "$pins/$folder"/*go* | cksum | cut -d ' ' -f 1)
  target="$cache/go-$name-$version-$key"
  # Written last: a folder without it is half of one.
  if [[ ! -f $target/complete ]]; then
    if ! have go; then
      skip "$name" "it is built from source, and this machine has no Go toolchain (see the go line in test/real/programs/$folder/go.mod)"
      return
    fi
    say "$name" "building $version from its Go module (some minutes, once)"
    : >"$work/log"
    mkdir -p "$work/$name"
    if ! build_go "$name" "$folder" "${go_ldflags:-}"; then fail "$name" "go build"; return; fi
    rm -rf "$target"
    mv "$work/$name" "$target"
    touch "$target/complete"
  fi
  for program in "$@"; do publish "${program%%=*}" "$target/${program#*=}"; done
  say "$name" "installed $version"
}

# pinned_version FOLDER MODULE: the version of a module that a folder of pins names.
pinned_version() { sed -n "s|^\(require\)\?[[:space:]]*$2 v\([^ ]*\).*|\2|p" "$pins/$1/go.mod" | sed -n 1p; }

install_victoria_metrics() {
  local module=github.com/VictoriaMetrics/VictoriaMetrics version
  version=$(pinned_version victoria-metrics "$module")
  local go_ldflags="-X $module/lib/buildinfo.Version=v$version"
  install_go victoria-metrics victoria-metrics "$version" victoria-metrics vmagent
}

install_helm() {
  install_go helm helm "$(pinned_version helm helm.sh/helm/v4)" helm helm-unittest kubeconform
}

install_readers() {
  # A program has the name of its module.
  install_go dockerfile-reader dockerfile "$(pinned_version dockerfile github.com/moby/buildkit)" dockerfile-reader
  install_go compose-reader compose "$(pinned_version compose github.com/compose-spec/compose-go/v2)" compose-reader
  install_go client-golang client-golang \
    "$(pinned_version client-golang github.com/prometheus/client_golang)" client-golang-page
}

install_actionlint() {
  install_go actionlint actionlint "$(pinned_version actionlint github.com/rhysd/actionlint)" actionlint
}

install_kubernetes() {
  local version minor stamp=k8s.io/component-base/version
  version=$(pinned_version kubernetes k8s.io/kubernetes)
  minor=$(cut -d . -f 2 <<<"$version")
  # Charts ask a server for its version.
  local go_ldflags="-X $stamp.gitVersion=v$version -X $stamp.gitMajor=${version%%.*} -X $stamp.gitMinor=$minor"
  install_go kubernetes kubernetes "$version" \
    kube-apiserver kube-controller-manager kube-proxy kube-scheduler kubectl kubelet
}

# A Kubernetes of one node, Helm 3, and the operator of Prometheus: for the tests in test/cluster only.
install_cluster() {
  if [[ ${PRTG_EXPORTER_CLUSTER:-} != 1 ]]; then say cluster "not asked for (PRTG_EXPORTER_CLUSTER=1 does)"; return; fi
  # etcd is Debian's: of the same system as the container runtime, in whose network it listens.
  debian_root debian-kubernetes trixie amd64 \
    ca-certificates,conntrack,containerd,containernetworking-plugins,etcd-server,iproute2,iptables,kmod,mount,runc
  install_go pause pause 1 pause
  install_go coredns coredns "$(pinned_version coredns github.com/coredns/coredns)" coredns
  install_go helm-3 helm-3 "$(pinned_version helm-3 helm.sh/helm/v3)" helm-3=helm
  install_go prometheus-operator prometheus-operator \
    "$(pinned_version prometheus-operator github.com/prometheus-operator/prometheus-operator)" \
    prometheus-operator=operator prometheus-config-reloader
  install_prometheus_kubernetes
  install_kubernetes
}

# The same Prometheus, which asks Kubernetes what to scrape.
install_prometheus_kubernetes() {
  local go_tags=$go_build_tags,enable_kubernetes_sd go_packages=("$go_module/cmd/prometheus")
  install_go prometheus-kubernetes . "$(pinned_version . "$go_module")" prometheus-kubernetes=prometheus
}

# Eight minutes of a processor's time: for the nightly tests only.
install_loki() {
  local version
  if [[ ${PRTG_EXPORTER_NIGHTLY:-} != 1 ]]; then say loki "not asked for (PRTG_EXPORTER_NIGHTLY=1 does)"; return; fi
  version=$(pinned_version loki github.com/grafana/loki/v3)
  local go_ldflags="-X github.com/grafana/loki/v3/pkg/util/build.Version=$version"
  install_go loki loki "$version" loki
}

# What manifests are validated against: the API of Kubernetes, and CRDs, from the modules of those who make them.
kubernetes_api_files=(
  "kubernetes k8s.io/kubernetes api/openapi-spec/swagger.json"
  "prometheus-operator github.com/prometheus-operator/prometheus-operator example/prometheus-operator-crd/*.yaml"
  "gateway-api sigs.k8s.io/gateway-api config/crd/standard/*routes.yaml"
  "vertical-pod-autoscaler k8s.io/autoscaler/vertical-pod-autoscaler deploy/vpa-v1-crd-gen.yaml"
)

install_kubernetes_api() {
  local name=kubernetes-api entry pin module files target folder versions=
  for entry in "${kubernetes_api_files[@]}"; do
    read -r pin module files <<<"$entry"
    versions+=" $pin-$(pinned_version "$pin" "$module")"
  done
  target="$cache/kubernetes-api-$(cksum <<<"$versions ${kubernetes_api_files[*]}" | cut -d ' ' -f 1)"
  if [[ ! -f $target/complete ]]; then
    if ! have go; then
      skip "$name" "it comes from Go modules, and this machine has no Go toolchain"
      return
    fi
    : >"$work/log"
    rm -rf "$target"
    mkdir -p "$target"
    for entry in "${kubernetes_api_files[@]}"; do
      read -r pin module files <<<"$entry"
      if ! folder=$(module_folder "$pin" "$module"); then
        fail "$name" "go mod download $module"
        return
      fi
      # shellcheck disable=SC2086 # a pattern of names without spaces
      (cd "$folder" && cp $files "$target/")
    done
    chmod -R u+w "$target"
    touch "$target/complete"
  fi
  ln -sfn "$target" "$bin/$name"
  say "$name" "installed$versions"
}

# module_folder FOLDER MODULE: downloads the pinned module, and says where it is.
module_folder() (
  cd "$pins/$1" || exit 1
  retry env GOWORK=off GOFLAGS=-mod=readonly go mod download "$2" || exit 1
  GOWORK=off GOFLAGS=-mod=readonly go list -m -f '{{.Dir}}' "$2"
)

install_alertmanager() {
  local name=alertmanager target
  if [[ -x $bin/$name && -x $bin/amtool ]] && "$bin/$name" --version >/dev/null 2>&1; then
    say "$name" "installed $("$bin/$name" --version 2>&1 | sed -n '1s/.*version \([^ ]*\).*/\1/p')"
    return
  fi
  if ! have apt-get || ! have dpkg-deb; then
    skip "$name" "it comes from Debian's package 'prometheus-alertmanager', and this machine has no apt-get"
    return
  fi
  : >"$work/log"
  if ! target=$(unpack_debian "$name" prometheus-alertmanager); then fail "$name" "apt-get download"; return; fi
  # Debian has its templates read from a fixed folder: here, one of the same length below the folder that it is started in.
  sed -i 's|/usr/share/prometheus/alertmanager|usr/share/prometheus//alertmanager|g' "$target/usr/bin/prometheus-alertmanager"
  printf '#!/bin/sh\ncd "%s" && exec usr/bin/prometheus-alertmanager "$@"\n' "$target" >"$target/start"
  chmod +x "$target/start"
  publish alertmanager "$target/start"
  publish amtool "$target/usr/bin/amtool"
  say "$name" "installed $("$bin/$name" --version 2>&1 | sed -n '1s/.*version \([^ ]*\).*/\1/p')"
}

# Versions of Node.js and of npm that people have, as npm packages: bin/node-18.20.8, bin/npm-9.9.4. Such an npm runs on
# the `node` of the PATH.
install_machines() {
  local name=machines machine version
  case $(uname -m) in aarch64 | arm64) machine=arm64 ;; *) machine=x64 ;; esac
  if ! have npm; then skip "$name" "they come by npm"; return; fi
  : >"$work/log"
  for version in $(sed -n 's/^\([0-9.]*\) .*/\1/p' "$pins/machines.txt" | sort -u); do
    if ! install_npm_package "node-linux-$machine" "$version"; then fail "$name" "Node.js $version"; return; fi
    publish "node-$version" "$cache/npm-node-linux-$machine-$version/node_modules/node-linux-$machine/bin/node"
  done
  for version in $(sed -n 's/^[0-9.]* \([0-9][0-9.]*\)$/\1/p' "$pins/machines.txt" | sort -u); do
    if ! install_npm_package npm "$version"; then fail "$name" "npm $version"; return; fi
    # A wrapper of its own: the shebang of npm would be followed to another Node.js.
    printf '#!/bin/sh\nexec node "%s" "$@"\n' "$cache/npm-npm-$version/node_modules/npm/bin/npm-cli.js" >"$work/npm"
    chmod +x "$work/npm"
    mv "$work/npm" "$bin/npm-$version"
  done
  say "$name" "installed $(sed -n 's/^\([0-9.]*\) \([0-9][0-9.]*\)$/\1+\2/p' "$pins/machines.txt" | paste -sd ' ')"
}

# install_npm_package PACKAGE VERSION: in a folder of its own, as they all have programs of the same names.
install_npm_package() {
  local target="$cache/npm-$1-$2"
  # Written last by npm: a folder without it is half of one.
  if [[ -f $target/node_modules/.package-lock.json ]]; then return; fi
  say "$name" "installing $1 $2"
  mkdir -p "$target"
  # Of other machines' versions it would warn about engines, which is what they are for.
  retry npm install --prefix "$target" --no-save --no-audit --no-fund --ignore-scripts "$1@$2"
}

# unpack_debian NAME PACKAGE...: Debian's packages into a folder of the cache, without installing them; says which.
unpack_debian() {
  local name=$1 target="$cache/debian-$1" package
  shift
  mkdir -p "$work/$name"
  if ! read_package_lists || ! (cd "$work/$name" && retry "${apt[@]}" download "$@"); then return 1; fi
  rm -rf "$target"
  for package in "$work/$name"/*.deb; do
    if ! dpkg-deb --extract "$package" "$target" >>"$work/log" 2>&1; then return 1; fi
  done
  printf '%s' "$target"
}

# What starts a system in a folder; its library is of the same version.
install_nspawn() {
  local name=systemd-nspawn installed target
  if installed=$(command -v "$name"); then
    publish "$name" "$installed"
  elif ! "$bin/$name" --version >/dev/null 2>&1; then
    if ! have apt-get; then skip "$name" "it comes from Debian's package 'systemd-container'"; return; fi
    : >"$work/log"
    if ! target=$(unpack_debian "$name" systemd-container libsystemd-shared); then fail "$name" "apt-get download"; return; fi
    printf '#!/bin/sh\nexport LD_LIBRARY_PATH="%s"\nexec "%s" "$@"\n' \
      "$(dirname "$(find "$target" -name 'libsystemd-shared*')")" "$target/usr/bin/systemd-nspawn" >"$target/start"
    chmod +x "$target/start"
    publish "$name" "$target/start"
  fi
  say "$name" "installed"
}

# What builds and reads Windows installers, with those of their libraries that this system lacks.
install_msitools() {
  local name=msitools programs=(wixl msibuild msiinfo msiextract) program target packages libraries
  if have wixl && have msibuild; then
    for program in "${programs[@]}"; do publish "$program" "$(command -v "$program")"; done
    say "$name" "found $(command -v wixl)"
    return
  fi
  if ! "$bin/wixl" --version >/dev/null 2>&1; then
    if ! have apt-get; then skip "$name" "it comes from Debian's packages 'wixl' and 'msitools'"; return; fi
    : >"$work/log"
    if ! read_package_lists; then fail "$name" "apt-get update"; return; fi
    packages=$("${apt[@]}" --simulate --no-install-recommends install wixl msitools 2>>"$work/log" |
      sed -n 's/^Inst \([^ ]*\) .*/\1/p')
    # shellcheck disable=SC2086 # one word for each package
    if ! target=$(unpack_debian "$name" $packages); then fail "$name" "apt-get download"; return; fi
    libraries=$(find "$target" -name '*.so*' -printf '%h\n' | sort -u | paste -sd :)
    for program in "${programs[@]}"; do
      printf '#!/bin/sh\nexport LD_LIBRARY_PATH="%s"\nexec "%s" "$@"\n' "$libraries" "$target/usr/bin/$program" >"$target/$program"
      chmod +x "$target/$program"
      publish "$program" "$target/$program"
    done
  fi
  say "$name" "installed $("$bin/wixl" --version)"
}

# Roots of Debian systems, for what only works as a part of one: packages are installed in a copy of the first, run by the
# systemd of the second, and looked at with the programs of the third; the fourth has a container engine. Only root may make them (or sudo without a password).
install_debian_roots() {
  debian_root debian-bare bookworm amd64 adduser
  debian_root debian-systemd bookworm amd64 adduser,dbus,systemd-sysv
  # The wine of Debian 13 runs Node.js; that of Debian 12 does not have the memory functions that V8 wants.
  debian_root debian-tools trixie amd64,arm64 cpio,libgcc-s1:arm64,libstdc++6:arm64,lintian,qemu-user,rpm,systemd,unzip,wine64
  debian_root debian-docker trixie amd64 ca-certificates,docker-buildx,docker-cli,docker-compose,docker.io,iproute2,iptables
}

# For debian_root. What is mounted in a root while it is made is seen by nothing else, and goes with its maker, also where
# that is killed. Earlier roots of the name go, told by the checksum at their end from a program of a like name.
make_root() {
  "${root[@]}" rm -rf --one-file-system "$cache/$name"-*-[0-9]*
  "${root[@]}" unshare --mount "$mmdebstrap" --keyring="$keyring" --variant=minbase --architectures="$architectures" \
    --aptopt='APT::Install-Recommends "false"' --include="$packages" "$suite" "$target"
}

# debian_root NAME SUITE ARCHITECTURES PACKAGES
debian_root() {
  local name=$1 suite=$2 architectures=$3 packages=$4 target mmdebstrap root=()
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  target="$cache/$name-$suite-$(cksum <<<"$*" | cut -d ' ' -f 1)"
  if [[ ! -e $target/complete ]]; then
    if ((EUID != 0)); then root=(sudo -n); fi
    if ((EUID != 0)) && ! sudo -n true 2>/dev/null; then skip "$name" "only root may make it"; return; fi
    : >"$work/log"
    if ! mmdebstrap=$(command -v mmdebstrap); then
      if ! have apt-get; then skip "$name" "it is made from Debian's packages, and this machine has no apt-get"; return; fi
      if ! mmdebstrap=$(unpack_debian mmdebstrap mmdebstrap)/usr/bin/mmdebstrap; then fail "$name" "apt-get download"; return; fi
    fi
    # A relative of Debian need not have Debian's keys.
    if [[ ! -e $keyring ]] && ! keyring=$(unpack_debian debian-keys debian-archive-keyring)$keyring; then
      fail "$name" "apt-get download"
      return
    fi
    say "$name" "making a Debian $suite with $packages (a minute or two, once)"
    if ! retry make_root; then fail "$name" "mmdebstrap"; return; fi
    "${root[@]}" touch "$target/complete"
  fi
  ln -sfn "$target" "$bin/$name"
  say "$name" "installed"
}

install_python_programs() {
  install_python python-openmetrics prometheus-client python requirements.txt
  install_python schemathesis schemathesis schemathesis schemathesis-requirements.txt
  install_python pytest pytest pytest pytest-requirements.txt
  install_python python-generators openapi-python-client python generators-requirements.txt
  install_python yamllint yamllint yamllint yamllint-requirements.txt
}

# beside NAME INSTALL...: one after the other, in a process and a folder of their own, while this script goes on.
beside() {
  (
    work="$work/$1"
    mkdir "$work"
    for install in "${@:2}"; do "$install"; done
    echo "failed=\$((failed + $failed)) skipped=\$((skipped + $skipped))" >"$work/result"
  ) &
}

echo "Programs for the tests in test/real, in $cache"
# With arguments, only these, such as helm or msitools.
if (($# > 0)); then
  for each in "$@"; do "install_$each"; done
  exit $((failed + skipped > 0))
fi
# Registries are slow and leave processors idle, which compilers want.
beside registries install_prometheus_2 install_machines install_python_programs install_chromium install_site install_nginx \
  install_alertmanager install_nspawn install_msitools install_registries install_mcp_inspector install_debian_roots
beside compilers install_prometheus_3 install_victoria_metrics install_otel_collector install_dashboard_schema \
  install_helm install_readers install_actionlint install_kubernetes_api
wait
for name in registries compilers; do
  # shellcheck disable=SC1090 # written above
  if [[ -f $work/$name/result ]]; then source "$work/$name/result"; continue; fi
  say "$name" "FAILED: ended before all were installed"
  failed=$((failed + 1))
done
install_cluster
install_loki

if ((failed > 0)); then
  echo "$failed could not be installed, $skipped skipped"
  exit 1
fi
if ((skipped > 0)); then
  echo "$skipped skipped: the tests that need them are skipped too"
  [[ ${PRTG_EXPORTER_REQUIRE_PROGRAMS:-} != 1 ]]
fi
