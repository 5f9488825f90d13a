#!/usr/bin/env bash
# Prints the bill of materials of what the image installs: scripts/bill-of-materials.sh spdx|cyclonedx
# `npm sbom --omit dev` would lose each dependency that a development one needs too (3 of 69), and without --omit it misses
# those that are not installed. So: the image's own install, in a folder of its own, and a manifest that names no others.
set -euo pipefail
format=${1:?say spdx or cyclonedx}
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# npm calls what it describes by the name of the folder.
mkdir "$work/prtg-exporter"
cp "$repo/package.json" "$repo/package-lock.json" "$repo/.npmrc" "$work/prtg-exporter/"
cd "$work/prtg-exporter"
npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund >&2
npm pkg delete devDependencies optionalDependencies
npm sbom --sbom-format "$format" --sbom-type application
