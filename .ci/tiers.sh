# Parts of .ci/run and .ci/nightly. Needs npm, Go, Python 3 and Debian's apt; installs the rest, outside the repository.
# Source it from the root of the repository.

results=$(mktemp -d)
# An interrupted run leaves neither builds nor tests behind.
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$results"' EXIT
export PRTG_EXPORTER_REQUIRE_PROGRAMS=1 NO_COLOR=1
unset FORCE_COLOR

heading() { printf '\n== %s (after %d s)\n' "$1" "$SECONDS"; }

# run_tests REPORT NPM_SCRIPT [ARGUMENT...]: its exit code and results are for the summary to judge, so that one tier's
# failure does not hide the other's.
run_tests() {
  local code=0
  PRTG_EXPORTER_TEST_REPORT="$results/$1.json" \
    npm run --silent "$2" -- --reporter=default --reporter=./scripts/tests/reporter.ts "${@:3}" || code=$?
  echo "$code" >"$results/$1.exit"
}

# tier NAME MOST NPM_SCRIPT [ARGUMENT...]: Vitest retries a test with real programs, but not the hooks of its file. So up to
# MOST failed files with real programs run once more. The summary names every second chance.
tier() {
  run_tests "$1" "${@:3}"
  [[ -f "$results/$1.json" ]] || return 0
  local failed
  mapfile -t failed < <(node bin/node.js scripts/failed-files.ts "$results" "$1" "$2")
  ((${#failed[@]} == 0)) && return 0
  heading "Once more: ${failed[*]}"
  run_tests "$1-again" "${@:3}" "${failed[@]}"
}

# They come down and are built while tests run that need none of them, which go first where both want the same core.
start_programs() {
  nice scripts/install-test-programs.sh >"$results/programs.log" 2>&1 &
  programs=$!
}

# Without one of them the tests fail and say so.
await_programs() {
  heading "Real programs"
  wait "$programs" || echo "not all programs could be installed"
  cat "$results/programs.log"
}

# newest_node [FOLDER...]: the next line of Node.js must do, too. Takes what others leave of the cores.
start_newest_node() {
  newest=$(sed -n 's/^\(26[0-9.]*\) .*/\1/p' test/real/programs/machines.txt)
  PRTG_EXPORTER_TEST_REPORT="$results/newest-node.json" \
    nice "${PRTG_EXPORTER_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/prtg-exporter-tests}/bin/node-$newest" \
    node_modules/vitest/vitest.mjs run --project unit --reporter=default --reporter=./scripts/tests/reporter.ts "$@" \
    >"$results/newest-node.log" 2>&1 &
  newest_node=$!
}

await_newest_node() {
  heading "Unit tests on Node.js $newest"
  local code=0
  wait "$newest_node" || code=$?
  cat "$results/newest-node.log"
  echo "$code" >"$results/newest-node.exit"
}

prepare() {
  heading "Dependencies"
  npm ci --no-audit --no-fund

  heading "Types of the contract"
  node bin/node.js scripts/api-types.ts --check

  heading "Dashboards"
  node bin/node.js scripts/dashboards.ts --check
}
