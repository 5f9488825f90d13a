import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { readPage } from "../docs/support/pages.ts";
import { describeWithPrograms } from "../real/support/programs.ts";
import { runProgram } from "../real/support/run-program.ts";
import { freePort } from "../support/free-port.ts";
import type { ContainerEngine } from "./support/container-engine.ts";
import { startWithImages } from "./support/image-archive.ts";
import { IMAGE, IMAGE_PROGRAMS } from "./support/stand-in-images.ts";

const KEY = "simulated-key";
const APP = "opt/prtg-exporter/";
const NODE = "/usr/local/bin/node";
const HARDENED = ["--network=host", "--read-only", "--cap-drop=ALL", "--security-opt=no-new-privileges"];
const LIMIT = { timeout: 60_000, interval: 50 };
/** By then, an engine kills the container. */
const END_LIMIT = { timeout: 8_000, interval: 50 };

const stateOf = z.tuple([
  z.object({ State: z.object({ Running: z.boolean(), ExitCode: z.number(), OOMKilled: z.boolean() }) }),
]);

describeWithPrograms([...IMAGE_PROGRAMS], "image in a container engine", (programs) => {
  let engine: ContainerEngine;
  let count = 0;
  const started: string[] = [];

  beforeAll(async () => {
    engine = await startWithImages(programs, { ownNetwork: false });
  });

  afterEach(async () => {
    for (const name of started.splice(0)) await engine.docker(["rm", "--force", name]);
  });

  afterAll(() => engine?.close());

  /** Returns the container's name. */
  async function start(args: readonly string[], flags: readonly string[] = []): Promise<string> {
    const name = `tests-${count++}`;
    started.push(name);
    await engine.docker(["run", "--detach", `--name=${name}`, ...HARDENED, ...flags, IMAGE, ...args]);
    return name;
  }

  async function inspect(name: string) {
    const [{ State }] = stateOf.parse(JSON.parse(await engine.docker(["inspect", name])));
    return State;
  }

  const logOf = async (name: string) => {
    const { stdout, stderr } = await engine.run(["logs", name]);
    return stdout + stderr;
  };

  const ended = async (name: string, limit = END_LIMIT) => {
    await vi.waitFor(async () => expect((await inspect(name)).Running).toBe(false), limit);
    return inspect(name);
  };

  const evaluate = (name: string, script: string) => engine.run(["exec", name, NODE, "--eval", script]);

  async function startSimulator(sensors: number): Promise<string> {
    const port = await freePort();
    await start(["simulate", `--listen-address=127.0.0.1:${port}`, `--sensors=${sensors}`]);
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(async () => expect((await fetch(`${url}/api/v2/health`)).status).toBeLessThan(500), LIMIT);
    return url;
  }

  async function serve(server: string, flags: readonly string[] = []): Promise<{ name: string; url: string }> {
    const port = await freePort();
    const environment = [`--env=PRTG_URL=${server}`, `--env=PRTG_API_KEY=${KEY}`];
    const name = await start(["serve", `--web.listen-address=127.0.0.1:${port}`], [...environment, ...flags]);
    return { name, url: `http://127.0.0.1:${port}` };
  }

  test("contains only required files, and only state and compile cache are writable", async () => {
    await engine.docker(["create", "--name=files", IMAGE]);
    const archive = `${inject("runFolder")}/files.tar`;
    await engine.docker(["export", "--output", archive, "files"]);
    await engine.docker(["rm", "files"]);
    const listing = await listArchive(archive);
    expectContents(listing.map(({ name }) => name));
    const own = listing.filter(({ owner }) => owner !== "0/0").map(({ name, owner }) => `${name} ${owner}`);
    expect(own).toEqual(["var/cache/prtg-exporter/ 65532/65532", "var/lib/prtg-exporter/ 65532/65532"]);
    const open = listing.filter(({ mode, name }) => mode.at(8) === "w" && !mode.startsWith("l") && name !== "tmp/");
    expect(open.map(({ name }) => name)).toEqual([]);
    expect(listing.some(({ name }) => /(^|\/)(ba)?sh$/.test(name))).toBe(false);
  });

  test("has the size in megabytes that a page promises", async () => {
    const bytes = Number(await engine.docker(["image", "inspect", "--format={{.Size}}", IMAGE]));
    expect(bytes / 1e6).toBeLessThan(220);
  });

  test("serves as a user without rights, with hardening", async () => {
    const { name, url } = await serve(await startSimulator(100));
    await waitForPage(`${url}/metrics`, /^prtg_channel_value\{/m);
    const { stdout } = await evaluate(
      name,
      `const text = require("fs").readFileSync("/proc/1/status", "utf8");
       console.log(text.match(/^(Uid|Gid|CapEff|CapBnd|NoNewPrivs|Seccomp):.*$/gm).join("|").replaceAll("\\t", " "));`,
    );
    expect(stdout.trim()).toBe(
      "Uid: 65532 65532 65532 65532|Gid: 65532 65532 65532 65532|CapEff: 0000000000000000|CapBnd: 0000000000000000|NoNewPrivs: 1|Seccomp: 2",
    );
    for (const place of ["/opt/prtg-exporter/x", "/var/lib/prtg-exporter/x", "/tmp/x"]) {
      expect((await evaluate(name, `require("fs").writeFileSync(${JSON.stringify(place)}, "")`)).stderr).toContain(
        "EROFS",
      );
    }
  });

  test("has a persistent volume for state that its user can write", async () => {
    const volume = ["--volume=state-of-the-tests:/var/lib/prtg-exporter"];
    const first = await start(["demo", "--web.listen-address=127.0.0.1:0"], volume);
    expect(await evaluate(first, `require("fs").writeFileSync("/var/lib/prtg-exporter/x", "kept")`)).toMatchObject({
      code: 0,
    });
    await engine.docker(["rm", "--force", first]);
    const second = await start(["demo", "--web.listen-address=127.0.0.1:0"], volume);
    const read = await evaluate(second, `console.log(require("fs").readFileSync("/var/lib/prtg-exporter/x", "utf8"))`);
    expect(read.stdout.trim()).toBe("kept");
    await engine.docker(["rm", "--force", second]);
    started.splice(0);
    await engine.docker(["volume", "rm", "state-of-the-tests"]);
  });

  test("simulates PRTG as docs/simulator-in-tests.md starts it", async () => {
    const { blocks } = readPage("docs/simulator-in-tests.md");
    const script = blocks.find(({ text }) => text.startsWith("docker run "))?.text ?? "";
    const [run = "", wait = "", remove = ""] = script.replaceAll(/ \\\n +/g, " ").split("\n");
    const port = await freePort();
    // The engine has no bridge that could publish a port.
    const argumentsOf = (command: string) =>
      command
        .replace(/--publish \S+/, "--network=host")
        .replace(/ghcr\.io\S+/, IMAGE)
        .replace(":1615", `:${port}`)
        .split(" ")
        .slice(1);
    await engine.docker(argumentsOf(run));
    expect(await runProgram("curl", ["--silent", "--show-error", ...argumentsOf(wait)], "")).toMatchObject({ code: 0 });
    await engine.docker(argumentsOf(remove));
  });

  describe("image that gets a stop signal", () => {
    // With an init process, like compose and the chart: the kernel drops signals to PID 1 until it handles them.
    test.each([0, 20, 50, 100, 200, 300, 500, 800, 1_500])("exits by itself %i ms after its start", async (ms) => {
      const { name } = await serve("http://127.0.0.1:9", ["--init"]);
      await sleep(ms);
      await engine.docker(["kill", "--signal=TERM", name]);
      const { ExitCode, OOMKilled } = await ended(name);
      expect({ ExitCode, OOMKilled }).toEqual({ ExitCode: expect.toBeOneOf([0, 143]), OOMKilled: false });
    });

    test("exits with 0 as the first process once it listens", async () => {
      const { name, url } = await serve("http://127.0.0.1:9");
      await waitForPage(`${url}/-/healthy`, /./);
      await engine.docker(["kill", "--signal=TERM", name]);
      expect(await ended(name)).toMatchObject({ ExitCode: 0 });
    });
  });

  describe("image with little memory", () => {
    const limited = (limit: string) => [`--memory=${limit}`, `--memory-swap=${limit}`];

    test("serves 2,600 sensors in 128 MB", async () => {
      const { name, url } = await serve(await startSimulator(2_600), limited("128m"));
      await waitForPage(`${url}/metrics`, /^prtg_channel_value\{/m, 120_000);
      for (let scrape = 0; scrape < 20; scrape++) {
        const page = await waitForPage(`${url}/metrics`, /^prtg_up\{server="[^"]+"\} 1$/m);
        expect(page.match(/^prtg_channel_value\{/gm)?.length).toBeGreaterThan(5_000);
        await sleep(1_000);
      }
      expect(await inspect(name)).toMatchObject({ Running: true, OOMKilled: false });
    });

    test("rejects 96 MB with a message", async () => {
      const { name } = await serve("http://127.0.0.1:9", limited("96m"));
      const { ExitCode, OOMKilled } = await ended(name);
      expect({ ExitCode, OOMKilled }).toEqual({ ExitCode: 1, OOMKilled: false });
      expect(await logOf(name)).toMatch(/96 MiB.*128 MiB/s);
    });
  });
});

/** Only compiled program, contract, configuration and dependencies. No sources, no tools. */
function expectContents(names: readonly string[]): void {
  const app = names.filter((name) => name.startsWith(APP)).map((name) => name.slice(APP.length));
  const below = (folder: string) => {
    const inside = app.filter((name) => name.startsWith(folder) && name !== folder);
    return new Set(inside.map((name) => name.slice(folder.length).split("/")[0]));
  };
  const top = ["LICENSE", "NOTICE", "README.md", "config", "dist", "node_modules", "package.json", "packages"];
  expect(below("")).toEqual(new Set(top));
  expect(below("packages/simulator/")).toEqual(new Set(["api", "scenarios"]));
  expect(app).toContain("dist/main.js");
  expect(names).toContain("usr/local/LICENSE");
  expect(app.filter((name) => /^dist\/.*\.ts$|\.node$/.test(name))).toEqual([]);
  const installed = below("node_modules/");
  const firstOf = (name: string) => name.split("/")[0] ?? name;
  expect(
    Object.keys(manifest.dependencies)
      .map(firstOf)
      .filter((name) => !installed.has(name)),
  ).toEqual([]);
  for (const name of ["typescript", "vitest", "@biomejs", ...Object.keys(manifest.optionalDependencies)]) {
    expect(installed).not.toContain(name);
  }
}

interface ArchivedFile {
  /** Format of `ls`. */
  readonly mode: string;
  /** `0/0` */
  readonly owner: string;
  readonly name: string;
}

async function listArchive(file: string): Promise<ArchivedFile[]> {
  const { code, stdout } = await runProgram("tar", ["--list", "--verbose", "--numeric-owner", `--file=${file}`], "");
  expect(code).toBe(0);
  return stdout
    .trim()
    .split("\n")
    .map((line) => {
      const [mode = "", owner = "", , , , name = ""] = line.split(/\s+/);
      return { mode, owner, name };
    });
}

async function waitForPage(url: string, pattern: RegExp, limitMs = 60_000): Promise<string> {
  return await vi.waitFor(
    async () => {
      const response = await fetch(url);
      const text = await response.text();
      expect(response.status, text).toBe(200);
      expect(text).toMatch(pattern);
      return text;
    },
    { timeout: limitMs, interval: 100 },
  );
}
