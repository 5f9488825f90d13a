#!/bin/sh
# Starts the exporter with the Node.js that came with it, wherever this folder is and whatever links lead here.
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
exec "$home/runtime/node" "$home/dist/main.js" "$@"
