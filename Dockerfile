# syntax=docker/dockerfile:1
# The image of prtg-exporter: compiled output, its dependencies and Node.js on a base without a shell.
#   docker build --build-arg REVISION="$(git rev-parse HEAD)" --tag prtg-exporter .
# Both bases are arguments, so that a build can pin them by digest, as the release workflow does:
#   --build-arg NODE_IMAGE=docker.io/library/node:24.21.0-bookworm-slim@sha256:...
ARG NODE_IMAGE=docker.io/library/node:24.21.0-bookworm-slim
# glibc and libstdc++ for Node.js, CA certificates, the user 65532, and nothing else.
ARG BASE_IMAGE=gcr.io/distroless/cc-debian12:nonroot

# What these stages make is JavaScript only, so they run on the builder's own platform, never emulated.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS sources
WORKDIR /build
COPY package.json package-lock.json .npmrc ./

FROM sources AS dependencies
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --omit=optional --no-audit --no-fund

FROM sources AS compiled
# The compiler is a program for one platform and comes as an optional dependency, so none is left out here.
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
# The base has a user, whom a folder that is made now would belong to.
USER 0:0
WORKDIR /opt/prtg-exporter
COPY --from=dependencies /build/node_modules node_modules
COPY --from=compiled /build/dist dist
COPY package.json LICENSE README.md ./
COPY packages/simulator/api packages/simulator/api
COPY packages/simulator/scenarios packages/simulator/scenarios
COPY config config
# A volume that is mounted here begins with these rights.
COPY --from=compiled --chown=65532:65532 /build/state /var/lib/prtg-exporter
# Compiled code, for the next start of a container; where nothing may be written there, each start compiles.
COPY --from=compiled --chown=65532:65532 /build/cache /var/cache/prtg-exporter

# After everything large, so that a new commit keeps the layers above.
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

# A number, so that Kubernetes can tell that it is not root.
USER 65532:65532
EXPOSE 9705
# No shell and no init between: SIGTERM reaches the exporter, which starts no processes that it would have to reap.
# The same as bin/node-settings.js.
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=8", "--disable-sigusr1", "/opt/prtg-exporter/dist/main.js"]
CMD ["serve"]
