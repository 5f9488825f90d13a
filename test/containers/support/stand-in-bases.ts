import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** .nvmrc's Node.js with its npm (test/real/programs/machines.txt). */
interface NodePrograms {
  readonly "debian-bare": string;
  readonly "node-24.21.0": string;
  readonly "npm-11.6.2": string;
}

/** As in `distroless/cc`: no shell. */
const LIBRARIES = ["libc6", "libgcc-s1", "libstdc++6"];
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/** Lines of a Dockerfile. Like distroless' `nonroot`, owner of new files. */
export const BASE_USER = ["USER 65532", "WORKDIR /home/nonroot"];

/** @param architecture if the Debian root has several */
export function writeBaseRoot(root: string, debian: string, architecture?: "amd64" | "arm64"): void {
  for (const name of ["etc", "tmp", "home/nonroot", "usr/lib", "usr/lib64", "var/cache", "var/lib"]) {
    mkdirSync(path.join(root, name), { recursive: true });
  }
  chmodSync(path.join(root, "tmp"), 0o1777);
  const users = ["root:x:0:0::/root:/sbin/nologin", "nonroot:x:65532:65532::/home/nonroot:/sbin/nologin", ""];
  writeFileSync(path.join(root, "etc/passwd"), users.join("\n"));
  writeFileSync(path.join(root, "etc/group"), "root:x:0:\nnonroot:x:65532:\n");
  // Debian links /lib to /usr/lib.
  const files = ["./lib", "./lib64", ...LIBRARIES.flatMap((name) => filesOf(debian, name, architecture))];
  const pack = ["--create", `--directory=${debian}`, "--no-recursion", "--files-from=-"];
  const archive = execFileSync("tar", pack, { input: files.join("\n"), maxBuffer: 1e9 });
  execFileSync("tar", ["--extract", `--directory=${root}`], { input: archive });
}

/** The npm registry and certificates do not reach later stages. @returns lines of a Dockerfile after FROM */
export function writeNodeFiles(folder: string, programs: NodePrograms): string[] {
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
  return [
    "ADD debian.tar /",
    "COPY --chmod=755 node /usr/local/bin/node",
    "COPY LICENSE /usr/local/LICENSE",
    "COPY npm /usr/local/lib/node_modules/npm",
    `COPY certificates.crt ${CERTIFICATES}`,
    "RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && chmod +x /usr/local/lib/node_modules/npm/bin/npm-cli.js",
    `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES} npm_config_registry=${registry} PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    "",
  ];
}

export function programBehind(program: string): string {
  const [, behind] = /^exec (?:node )?"([^"]+)"/m.exec(readFileSync(program, "utf8")) ?? [];
  if (behind === undefined) throw new Error(`${program} starts no other program`);
  return behind;
}

function filesOf(debian: string, name: string, architecture?: string): string[] {
  const info = path.join(debian, "var/lib/dpkg/info");
  const names =
    architecture === undefined
      ? [`${name}.list`, `${name}:amd64.list`, `${name}:arm64.list`]
      : [`${name}:${architecture}.list`];
  const file = names.find((each) => existsSync(path.join(info, each)));
  if (file === undefined) throw new Error(`${debian} has no package ${name}`);
  const listed = readFileSync(path.join(info, file), "utf8").split("\n");
  return listed.filter((each) => each.startsWith("/") && !each.startsWith("/usr/share/")).map((each) => `.${each}`);
}
