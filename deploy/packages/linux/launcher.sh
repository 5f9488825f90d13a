#!/bin/sh
# Starts the exporter with its own Node.js, from any folder and through any links.
set -e
self=$0
while [ -h "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=$(dirname "$self")/$target ;;
  esac
done
home=$(cd "$(dirname "$self")/.." && pwd -P)
export NODE_ENV=production PRTG_EXPORTER_REVISION=@REVISION@
# Same as bin/node-settings.js. Settings of the user win.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX-2}" MALLOC_MMAP_THRESHOLD_="${MALLOC_MMAP_THRESHOLD_-131072}"
export MALLOC_TRIM_THRESHOLD_="${MALLOC_TRIM_THRESHOLD_-1048576}" UV_THREADPOOL_SIZE="${UV_THREADPOOL_SIZE-64}"
export NODE_OPTIONS="--max-semi-space-size=4 --disable-sigusr1${NODE_OPTIONS:+ $NODE_OPTIONS}"
exec "$home/runtime/node" --heap-growing-percent=50 "$home/dist/main.js" "$@"
