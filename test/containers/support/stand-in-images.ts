import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ProgramName } from "../../real/support/program-paths.ts";
import type { ContainerEngine } from "./container-engine.ts";
import { BASE_USER, programBehind, writeBaseRoot, writeNodeFiles } from "./stand-in-bases.ts";

export const REPOSITORY = fileURLToPath(new URL("../../..", import.meta.url));
/** .nvmrc's Node.js with its npm (test/real/programs/machines.txt). */
export const IMAGE_PROGRAMS = [
  ...(["debian-docker", "debian-bare", "node-24.21.0", "npm-11.6.2"] as const),
  ...(["prometheus-3", "otel-collector"] as const),
] satisfies ProgramName[];
export type ImagePrograms = Readonly<Record<(typeof IMAGE_PROGRAMS)[number], string>>;

/** Image name in compose.yaml. */
export const IMAGE = "prtg-exporter:local";
const NODE_IMAGE = "node:stand-in";
const BASE_IMAGE = "distroless-cc:stand-in";
const BUILD_LIMIT = { timeoutMs: 900_000 };

/**
 * This image and those that its compose file pulls, on stand-ins of Debian packages, because tests must not depend on image
 * registries.
 * @param folder visible to the engine
 * @returns image names
 */
export async function buildImages(engine: ContainerEngine, programs: ImagePrograms, folder: string): Promise<string[]> {
  await buildBase(engine, programs["debian-bare"], mkdtempSync(path.join(folder, "base-")));
  await buildNode(engine, programs, mkdtempSync(path.join(folder, "node-")));
  await buildExporter(engine, folder);
  const services = composeImages();
  for (const { image, program, entrypoint, user } of [
    { image: services.prometheus, program: "prometheus-3", entrypoint: "/bin/prometheus", user: "65534" },
    { image: services["otel-collector"], program: "otel-collector", entrypoint: "/otelcol-contrib", user: "10001" },
  ] as const) {
    const here = mkdtempSync(path.join(folder, `${program}-`));
    cpSync(programBehind(programs[program]), path.join(here, "program"));
    mkdirSync(path.join(here, "data"));
    const lines = [
      `FROM ${BASE_IMAGE}`,
      `COPY program ${entrypoint}`,
      `COPY --chown=${user}:${user} data /prometheus`,
      `USER ${user}`,
      `ENTRYPOINT ["${entrypoint}"]`,
    ];
    writeFileSync(path.join(here, "Dockerfile"), lines.join("\n"));
    await engine.docker(["build", `--tag=${image}`, here], BUILD_LIMIT);
  }
  return [IMAGE, ...Object.values(services)];
}

async function buildBase(engine: ContainerEngine, debian: string, folder: string): Promise<void> {
  writeBaseRoot(path.join(folder, "root"), debian);
  writeFileSync(path.join(folder, "Dockerfile"), ["FROM scratch", "COPY root /", ...BASE_USER].join("\n"));
  await engine.docker(["build", `--tag=${BASE_IMAGE}`, folder], BUILD_LIMIT);
}

async function buildNode(engine: ContainerEngine, programs: ImagePrograms, folder: string): Promise<void> {
  writeFileSync(path.join(folder, "Dockerfile"), ["FROM scratch", ...writeNodeFiles(folder, programs)].join("\n"));
  await engine.docker(["build", "--network=host", `--tag=${NODE_IMAGE}`, folder], BUILD_LIMIT);
}

async function buildExporter(engine: ContainerEngine, folder: string): Promise<void> {
  // The named frontend would come from a registry.
  const text = readFileSync(path.join(REPOSITORY, "Dockerfile"), "utf8").replace(/^# syntax=.*\n/, "");
  const dockerfile = path.join(folder, "Dockerfile");
  writeFileSync(dockerfile, text);
  const args = [`NODE_IMAGE=${NODE_IMAGE}`, `BASE_IMAGE=${BASE_IMAGE}`, "VERSION=1.2.3", `REVISION=${"0".repeat(40)}`];
  const flags = ["--network=host", `--file=${dockerfile}`, ...args.map((arg) => `--build-arg=${arg}`)];
  await engine.docker(["build", ...flags, `--tag=${IMAGE}`, REPOSITORY], BUILD_LIMIT);
}

function composeImages(): { prometheus: string; "otel-collector": string } {
  const compose = readFileSync(path.join(REPOSITORY, "deploy/compose/compose.yaml"), "utf8");
  const imageOf = (name: string) => new RegExp(`^ {4}image: (\\S*${name}\\S*)$`, "m").exec(compose)?.[1] ?? "";
  return { prometheus: imageOf("prometheus:"), "otel-collector": imageOf("opentelemetry-collector") };
}
