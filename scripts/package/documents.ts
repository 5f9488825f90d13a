import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { z } from "zod";
import { completionScript } from "../../src/cli/completion/completion.ts";
import { createProgram } from "../../src/cli/program.ts";
import { type Build, HOMEPAGE, manifest, ROOT } from "./build.ts";
import { licenseText, withoutGpl } from "./license-text.ts";
import type { Runtime } from "./node-runtime.ts";
import { normalize } from "./trees.ts";

const MAINTAINER = "The prtg-exporter authors <prtg-exporter@users.noreply.github.com>";
/** Builds of one version. Also in nfpm.yaml. */
const DEBIAN_RELEASE = 1;

/** Debian installs a common copy. */
const COMMON_LICENSE = "On Debian systems, the text is in /usr/share/common-licenses/Apache-2.0.";

/** nfpm would use the checkout time. */
const COPIED = [
  "config/prtg-exporter.example.yaml",
  "deploy/packages/deb/lintian-overrides",
  "deploy/packages/linux/prtg-exporter-sync.default",
  "deploy/packages/linux/prtg-exporter-sync.service",
  "deploy/packages/linux/prtg-exporter.default",
  "deploy/packages/linux/prtg-exporter.service",
  "deploy/packages/linux/prtg-exporter.yaml",
];

const moduleShape = z.object({
  name: z.string(),
  version: z.string(),
  license: z.union([z.string(), z.object({ type: z.string() })]).optional(),
});

/** Files of .deb and .rpm next to the program. @returns their folder */
export function writeDocuments(build: Build, application: string, runtime: Runtime): string {
  const folder = path.join(build.work, "documents");
  mkdirSync(folder, { recursive: true });
  const manual = readFileSync(`${ROOT}deploy/packages/linux/prtg-exporter.1`, "utf8")
    .replace("@DATE@", build.time.toISOString().slice(0, 10))
    .replace("@VERSION@", build.version);
  const program = createProgram();
  const files = {
    "completion.bash": completionScript("bash", program),
    "completion.zsh": completionScript("zsh", program),
    "completion.fish": completionScript("fish", program),
    "prtg-exporter.1.gz": gzipSync(manual, { level: 9 }),
    "changelog.gz": gzipSync(readFileSync(`${ROOT}CHANGELOG.md`), { level: 9 }),
    "changelog.Debian.gz": gzipSync(debianChangelog(build), { level: 9 }),
    copyright: copyright(application, runtime),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content);
  for (const name of COPIED) copyFileSync(ROOT + name, path.join(folder, path.basename(name)));
  normalize(folder, build.time);
  return folder;
}

/** Of the packaging, not of the exporter. */
export function debianChangelog({ version, time }: Pick<Build, "version" | "time">): string {
  const date = time.toUTCString().replace("GMT", "+0000");
  return `prtg-exporter (${debianVersion(version)}-${DEBIAN_RELEASE}) stable; urgency=medium

  * Version ${version}. Its changes are in changelog.gz.

 -- ${MAINTAINER}  ${date}
`;
}

/** A pre-release must sort first: `1.0.0-rc.1` is `1.0.0~rc.1`. */
const debianVersion = (version: string) => version.replace("-", "~");

/** Includes Node.js with linked libraries, and npm packages. */
function copyright(application: string, runtime: Runtime): string {
  const modules = installedModules(path.join(application, "node_modules")).map(({ folder, name, version, license }) =>
    stanza({
      Files: `usr/lib/prtg-exporter/${path.relative(application, folder)}/*`,
      Copyright: `the authors of ${name} ${version}`,
      License: `${license}-${name}`,
      text: textOf(license, folder),
    }),
  );
  const node = readFileSync(path.join(runtime.folder, "LICENSE"), "utf8");
  return [
    `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: prtg-exporter
Source: ${HOMEPAGE}
`,
    stanza({
      Files: "*",
      Copyright: "2026 The prtg-exporter authors",
      License: manifest.license,
      text: COMMON_LICENSE,
    }),
    stanza({
      Files: "usr/lib/prtg-exporter/runtime/node",
      Copyright: "Node.js contributors, and others that the text names",
      License: `MIT-Node.js-${runtime.version}`,
      text: node,
    }),
    ...modules,
  ].join("\n");
}

interface Stanza {
  readonly Files: string;
  readonly Copyright: string;
  readonly License: string;
  readonly text: string;
}

function stanza({ text, ...fields }: Stanza): string {
  const lines = text.trim().split(/\r?\n/);
  const indented = lines.map((line) => (line.trim() === "" ? " ." : ` ${line.trimEnd()}`));
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return `${[...head, ...indented].join("\n")}\n`;
}

function installedModules(folder: string) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /(^|\/node_modules\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(name))
    .sort()
    .map((name) => {
      const { license = "unknown", ...module } = moduleShape.parse(
        JSON.parse(readFileSync(path.join(folder, name), "utf8")),
      );
      const kind = typeof license === "string" ? license : license.type;
      return { ...module, license: kind, folder: path.dirname(path.join(folder, name)) };
    });
}

function textOf(license: string, folder: string): string {
  if (license === "Apache-2.0") return COMMON_LICENSE;
  const text = licenseText(folder);
  if (text === undefined) return `${license}, as package.json says; the package brings no text of it.`;
  return withoutGpl(text, "On Debian systems, the text is in /usr/share/common-licenses/GPL-2.");
}
