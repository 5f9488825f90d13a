# The image of prtg-exporter: compiled output, its dependencies and Node.js on a base without a shell.
#   docker build --build-arg REVISION="$(git rev-parse HEAD)" --tag prtg-exporter .
# No `syntax` line: the builder reads the file itself, and runs no parser image from a registry.
# The release workflow pins both base images by digest:
#   --build-arg NODE_IMAGE=docker.io/library/node:24.21.0-bookworm-slim@sha256:...
ARG NODE_IMAGE=docker.io/library/node:24.21.0-bookworm-slim
# Has only glibc, libstdc++, CA certificates and the user 65532.
ARG BASE_IMAGE=gcr.io/distroless/cc-debian12:nonroot

# These stages produce only JavaScript. They run on the build platform, without emulation.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS sources
WORKDIR /build
COPY package.json package-lock.json .npmrc ./

FROM sources AS dependencies
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --omit=optional --no-audit --no-fund

FROM sources AS compiled
# The compiler is an optional dependency for one platform. Install all of them.
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY bin bin
COPY scripts/build.ts scripts/install-missing.cjs scripts/
COPY scripts/build scripts/build
COPY packages/simulator/data packages/simulator/data
COPY packages/simulator/src packages/simulator/src
COPY src src
RUN npm run build && mkdir -m 0700 state cache

FROM ${NODE_IMAGE} AS node

FROM ${BASE_IMAGE}
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/local/LICENSE /usr/local/LICENSE
# Otherwise the user of the base image would own the following folders.
USER 0:0
WORKDIR /opt/prtg-exporter
COPY --from=dependencies /build/node_modules node_modules
COPY --from=compiled /build/dist dist
COPY package.json LICENSE NOTICE README.md ./
COPY packages/simulator/api packages/simulator/api
COPY packages/simulator/scenarios packages/simulator/scenarios
COPY config config
# New volumes take these permissions.
COPY --from=compiled --chown=65532:65532 /build/state /var/lib/prtg-exporter
# Keeps compiled code for the next start. If it is read-only, each start compiles again.
COPY --from=compiled --chown=65532:65532 /build/cache /var/cache/prtg-exporter

# Last, because a new commit changes only the layers below.
ARG VERSION=0.0.0
ARG REVISION=
ARG CREATED=
ARG SOURCE=
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    MALLOC_MMAP_THRESHOLD_=131072 \
    MALLOC_TRIM_THRESHOLD_=1048576 \
    UV_THREADPOOL_SIZE=64 \
    NODE_COMPILE_CACHE=/var/cache/prtg-exporter \
    PRTG_EXPORTER_REVISION=${REVISION}
LABEL org.opencontainers.image.title="prtg-exporter" \
      org.opencontainers.image.description="Paessler PRTG (REST API v2) to Prometheus and OpenTelemetry" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.source="${SOURCE}"

# A number, because Kubernetes checks `runAsNonRoot` only by number.
USER 65532:65532
EXPOSE 9705
# Without a shell, SIGTERM reaches the exporter. It starts no child processes.
# Same settings as bin/node-settings.js.
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=4", "--disable-sigusr1", "--heap-growing-percent=50", "/opt/prtg-exporter/dist/main.js"]
CMD ["serve"]
