import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { type DockerfilePlan, readDockerfile } from "./support/dockerfile-plan.ts";
import { buildNatively } from "./support/native-build.ts";
import { NativeContainer } from "./support/native-container.ts";
import { describeWithPrograms } from "./support/programs.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const REVISION = "0123456789abcdef0123456789abcdef01234567";
const DIGEST = `sha256:${"ab".repeat(32)}`;
const APP = "opt/prtg-exporter";
const START_LIMIT_MS = 200_000;
/** Two installs of npm, and a compilation. */
const BUILD_LIMIT_MS = 600_000;

describeWithPrograms(["dockerfile-reader"], "the image", ({ "dockerfile-reader": reader }) => {
  describe.each(["linux/amd64", "linux/arm64"])("as BuildKit reads its Dockerfile for %s", (platform) => {
    let plan: DockerfilePlan;

    beforeAll(async () => {
      plan = await readDockerfile({ reader, platform, buildArgs: { REVISION, VERSION: "1.2.3" } });
    });

    test("gives no warning", () => {
      expect(plan.warnings).toEqual([]);
    });

    test("runs commands on the builder's platform only, so that nothing is emulated", () => {
      const commands = plan.steps.filter(({ exec }) => exec !== undefined);
      expect(commands).not.toEqual([]);
      expect(new Set(commands.map((step) => step.platform?.Architecture))).toEqual(new Set(["amd64"]));
    });

    test("takes the base and Node.js of the image's own platform", () => {
      const [, architecture] = platform.split("/");
      const sources = plan.steps.filter((step) => step.platform?.Architecture === architecture);
      const images = sources.flatMap(({ source }) => (source === undefined ? [] : [source.identifier]));
      expect(images).toEqual(
        expect.arrayContaining([expect.stringContaining("/distroless/"), expect.stringMatching(/\/node:/)]),
      );
    });

    test("describes itself", () => {
      const { config, architecture } = plan.image;
      expect(`linux/${architecture}`).toBe(platform);
      expect(config.User).toBe("65532:65532");
      expect(config.ExposedPorts).toHaveProperty(["9705/tcp"]);
      expect(config.Labels).toMatchObject({
        "org.opencontainers.image.title": manifest.name,
        "org.opencontainers.image.licenses": manifest.license,
        "org.opencontainers.image.version": "1.2.3",
        "org.opencontainers.image.revision": REVISION,
      });
      expect(config.Env).toContain(`PRTG_EXPORTER_REVISION=${REVISION}`);
    });
  });

  test("takes its bases by digest where a build names one", async () => {
    const buildArgs = { NODE_IMAGE: `example.com/node:26@${DIGEST}`, BASE_IMAGE: `example.com/base@${DIGEST}` };
    const { steps } = await readDockerfile({ reader, buildArgs });
    const images = steps.flatMap(({ source }) => (source?.identifier.startsWith("docker-image:") ? [source] : []));
    expect(new Set(images.map(({ identifier }) => identifier))).toEqual(
      new Set(Object.values(buildArgs).map((name) => `docker-image://${name}`)),
    );
  });

  test("has the Node.js that contributors have", async () => {
    const { steps } = await readDockerfile({ reader });
    const pinned = readFileSync(path.join(ROOT, ".nvmrc"), "utf8").trim();
    const nodes = steps.flatMap(({ source }) => (source?.identifier.includes("/node:") ? [source.identifier] : []));
    for (const identifier of nodes) expect(identifier).toContain(`/node:${pinned}-`);
    expect(nodes).not.toEqual([]);
  });

  test("is built from sources, the contract, the configuration and the launcher alone", async () => {
    const { context } = await readDockerfile({ reader });
    const folders = context.filter((file) => file.includes("/")).map((file) => file.split("/")[0]);
    expect(new Set(folders)).toEqual(new Set(["bin", "config", "packages", "scripts", "src"]));
    const ofSimulator = context.filter((file) => file.startsWith("packages/")).map((file) => file.split("/")[2]);
    expect(new Set(ofSimulator)).toEqual(new Set(["api", "data", "scenarios", "src"]));
    expect(context.filter((file) => !file.includes("/"))).toEqual(
      expect.arrayContaining([".npmrc", "LICENSE", "README.md", "package-lock.json", "package.json"]),
    );
    expect(context.filter((file) => !file.includes("/"))).toHaveLength(6);
  });

  describe("built and run natively", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "prtg-exporter-image-"));
    let root: string;
    let container: NativeContainer;

    beforeAll(async () => {
      const plan = await readDockerfile({ reader, buildArgs: { REVISION } });
      root = await buildNatively(plan, folder);
      container = new NativeContainer(root, plan.image);
    }, BUILD_LIMIT_MS);

    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test("holds compiled output, what it runs on, and nothing else", () => {
      expect(readdirSync(path.join(root, APP)).sort()).toEqual(
        ["LICENSE", "README.md", "config", "dist", "node_modules", "package.json", "packages"].sort(),
      );
      expect(readdirSync(path.join(root, APP, "packages/simulator")).sort()).toEqual(["api", "scenarios"]);
      const compiled = readdirSync(path.join(root, APP, "dist"), { recursive: true, encoding: "utf8" });
      expect(compiled.filter((file) => file.endsWith(".ts"))).toEqual([]);
      expect(compiled).toContain("main.js");
    });

    test("has the dependencies, and none of the tools", () => {
      const installed = readdirSync(path.join(root, APP, "node_modules"));
      const top = (name: string) => name.split("/")[0] ?? name;
      expect(installed).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies).map(top)));
      for (const name of ["typescript", "vitest", "@biomejs", ...Object.keys(manifest.optionalDependencies)]) {
        expect(installed).not.toContain(name);
      }
    });

    test("holds no machine code but Node.js, so that one build serves every platform", () => {
      const files = readdirSync(path.join(root, APP), { recursive: true, withFileTypes: true });
      const programs = files
        .filter((file) => file.isFile())
        .map((file) => path.join(file.parentPath, file.name))
        .filter((file) => readFileSync(file).subarray(0, 4).equals(Buffer.from("\x7fELF", "latin1")));
      expect(programs).toEqual([]);
    });

    test("says its version and commit", async () => {
      const { code, stdout, stderr } = await container.run(["--version"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain(`${manifest.version} (${REVISION})`);
    });

    test("runs the demo on a read-only file system, and ends on SIGTERM as the first process", async () => {
      const demo = container.start(["demo", "--sensors=40", "--web.listen-address=127.0.0.1:0"]);
      onTestFinished(() => demo.kill());
      const [, url = ""] = await demo.program.waitForLog(/Open (http:\S+)/, START_LIMIT_MS);
      expect(await (await fetch(`${url}/metrics`)).text()).toContain('prtg_up{server="demo"} 1');
      const status = readFileSync(`/proc/${demo.firstProcess()}/status`, "utf8");
      expect(status).toMatch(/^NSpid:\t\d+\t1$/m);
      expect(status).toMatch(process.getuid?.() === 0 ? /^Uid:\t65532\t65532\t/m : /^Uid:/m);
      expect(await endingOn("SIGTERM", demo)).toEqual({ code: 0, signal: null });
    });

    test("serves a monitoring server that the environment names", async () => {
      const simulator = await simulateServer();
      const secrets = mkdtempSync(path.join(folder, "secrets-"));
      writeFileSync(path.join(secrets, "api-key"), CREDENTIALS.apiKey);
      chmodSync(secrets, 0o755);
      const env = { PRTG_URL: simulator.url, PRTG_API_KEY_FILE: "/run/secrets/api-key" };
      const options = { env, mounts: { [secrets]: "/run/secrets" } };
      const running = container.start(["serve", "--web.listen-address=127.0.0.1:0"], options);
      onTestFinished(() => running.kill());
      const [, url = ""] = await running.program.waitForLog(/serving metrics on (http:[^"]+)/, START_LIMIT_MS);
      await running.program.waitForLog(/first poll finished/, START_LIMIT_MS);
      const page = await (await fetch(url)).text();
      expect(page).toMatch(/^prtg_up\{server="[^"]+"\} 1$/m);
      expect(await endingOn("SIGINT", running)).toEqual({ code: 0, signal: null });
    });
  });
});

async function endingOn(signal: NodeJS.Signals, { program, firstProcess }: ReturnType<NativeContainer["start"]>) {
  process.kill(firstProcess(), signal);
  return program.ended;
}
