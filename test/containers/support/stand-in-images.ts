import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ProgramName } from "../../real/support/programs.ts";
import type { ContainerEngine } from "./container-engine.ts";

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
/** As in `distroless/cc`: no shell. */
const LIBRARIES = ["libc6", "libgcc-s1", "libstdc++6"];
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";
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
  const root = path.join(folder, "root");
  for (const name of ["etc", "tmp", "home/nonroot", "usr/lib", "usr/lib64", "var/cache", "var/lib"]) {
    mkdirSync(path.join(root, name), { recursive: true });
  }
  chmodSync(path.join(root, "tmp"), 0o1777);
  const users = ["root:x:0:0::/root:/sbin/nologin", "nonroot:x:65532:65532::/home/nonroot:/sbin/nologin", ""];
  writeFileSync(path.join(root, "etc/passwd"), users.join("\n"));
  writeFileSync(path.join(root, "etc/group"), "root:x:0:\nnonroot:x:65532:\n");
  // Debian links /lib to /usr/lib.
  const files = ["./lib", "./lib64", ...LIBRARIES.flatMap((name) => filesOf(debian, name))];
  const pack = ["--create", `--directory=${debian}`, "--no-recursion", "--files-from=-"];
  const archive = execFileSync("tar", pack, { input: files.join("\n"), maxBuffer: 1e9 });
  execFileSync("tar", ["--extract", `--directory=${root}`], { input: archive });
  // Like distroless' `nonroot`, owner of new files.
  writeFileSync(path.join(folder, "Dockerfile"), "FROM scratch\nCOPY root /\nUSER 65532\nWORKDIR /home/nonroot\n");
  await engine.docker(["build", `--tag=${BASE_IMAGE}`, folder], BUILD_LIMIT);
}

/** The npm registry and certificates do not reach later stages. */
async function buildNode(engine: ContainerEngine, programs: ImagePrograms, folder: string): Promise<void> {
  const debian = ["--create", `--directory=${programs["debian-bare"]}`, `--file=${folder}/debian.tar`];
  execFileSync("tar", [...debian, "--exclude=./proc/*", "--exclude=./sys/*", "--exclude=./usr/share/*", "."]);
  const node = programBehind(programs["node-24.21.0"]);
  cpSync(node, path.join(folder, "node"));
  cpSync(path.join(path.dirname(node), "../LICENSE"), path.join(folder, "LICENSE"));
  const npm = path.join(path.dirname(programBehind(programs["npm-11.6.2"])), "..");
  cpSync(npm, path.join(folder, "npm"), { recursive: true });
  const certificates = existsSync(CERTIFICATES) ? readFileSync(CERTIFICATES) : "";
  writeFileSync(path.join(folder, "certificates.crt"), certificates);
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8", cwd: folder }).trim();
  writeFileSync(
    path.join(folder, "Dockerfile"),
    `FROM scratch
ADD debian.tar /
COPY --chmod=755 node /usr/local/bin/node
COPY LICENSE /usr/local/LICENSE
COPY npm /usr/local/lib/node_modules/npm
COPY certificates.crt ${CERTIFICATES}
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && chmod +x /usr/local/lib/node_modules/npm/bin/npm-cli.js
ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES} npm_config_registry=${registry} PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
`,
  );
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

export function programBehind(program: string): string {
  const [, behind] = /^exec (?:node )?"([^"]+)"/m.exec(readFileSync(program, "utf8")) ?? [];
  if (behind === undefined) throw new Error(`${program} starts no other program`);
  return behind;
}

function filesOf(debian: string, name: string): string[] {
  const info = path.join(debian, "var/lib/dpkg/info");
  const names = [`${name}.list`, `${name}:amd64.list`, `${name}:arm64.list`];
  const file = names.find((each) => existsSync(path.join(info, each)));
  if (file === undefined) throw new Error(`${debian} has no package ${name}`);
  const listed = readFileSync(path.join(info, file), "utf8").split("\n");
  return listed.filter((each) => each.startsWith("/") && !each.startsWith("/usr/share/")).map((each) => `.${each}`);
}
