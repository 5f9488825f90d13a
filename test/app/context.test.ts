import { getHeapStatistics } from "node:v8";
import { pino } from "pino";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type ConfigFlags, createContext, loadFlaggedConfig, warningsOnce } from "../../src/app/context.ts";
import { memoryForObjects } from "../../src/app/object-memory.ts";
import { Redactor } from "../../src/errors/redactor.ts";

test("objects and pending measurements have bounds that follow the heap", async () => {
  const earlier = new Set(process.listeners("uncaughtException"));
  onTestFinished(() => {
    for (const listener of process.listeners("uncaughtException")) {
      if (!earlier.has(listener)) process.removeListener("uncaughtException", listener);
    }
  });
  const { memory } = await createContext({ "log.level": "error", "log.format": "json" }, new Redactor());
  const heapBytes = getHeapStatistics().heap_size_limit;
  expect(memory.objects.maxBytes).toBe(memoryForObjects(heapBytes));
  expect(memory.pending.maxBytes / heapBytes).toBeCloseTo(0.15);
});

describe("configuration of a command", () => {
  const server = (name: string) =>
    `{ name: ${name}, url: "https://${name}.example.com:1616", auth: { api_key: "\${KEY}" } }`;
  const SERVERS = ["hq", "branch", "lab"];
  const FILE = `servers: [${SERVERS.map(server).join(", ")}]\n`;

  async function loaded(text: string, flags: ConfigFlags = {}, env: NodeJS.ProcessEnv = {}) {
    const lines: Readonly<Record<string, unknown>>[] = [];
    const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const files: Readonly<Record<string, string>> = { "/etc/prtg.yaml": text, "/etc/bad.yaml": "servers: [5]" };
    const read = async (path: string) => {
      const content = files[path];
      if (content === undefined) throw Object.assign(new Error("none"), { code: "ENOENT" });
      return content;
    };
    const listFiles = async (pattern: string) => Object.keys(files).filter((path) => path === pattern);
    const access = { listFiles, readFile: read, lastGood: new Map() };
    const given = { "config.file": "/etc/prtg.yaml", ...flags };
    const runtime = { log, redactor: new Redactor(), warnOnce: warningsOnce(log) };
    const { config } = await loadFlaggedConfig(given, runtime, { KEY: "a-key", ...env }, read, access);
    return { config, lines, names: config.servers.map(({ name }) => name) };
  }

  test("has all servers and no warnings", async () => {
    const { names, lines, config } = await loaded(FILE);
    expect([names, lines, config.shard]).toEqual([SERVERS, [], undefined]);
  });

  test("of a shard has only its servers, and the log counts them", async () => {
    const shards = await Promise.all([0, 1].map((index) => loaded(FILE, { shard: { index, count: 2 } })));
    expect(shards.flatMap(({ names }) => names).toSorted()).toEqual(SERVERS.toSorted());
    for (const [index, { names, lines, config }] of shards.entries()) {
      expect(config.shard).toEqual({ index, count: 2 });
      expect(lines).toMatchObject([
        names.length > 0
          ? { level: 30, shard: `${index}/2`, servers: names, msg: `serving ${names.length} of 3 servers` }
          : { level: 40, shard: `${index}/2`, msg: "this shard has no servers: it serves only its own metrics" },
      ]);
    }
  });

  test("of a shard without servers is worth a warning", async () => {
    const text = `servers: [${server("hq")}]`;
    const lines = await Promise.all(
      [0, 1].map(async (index) => (await loaded(text, { shard: { index, count: 2 } })).lines),
    );
    expect(lines.flat().map(({ level }) => level)).toEqual(expect.arrayContaining([30, 40]));
  });

  test("keeps the warnings of deprecated flags for the metrics", async () => {
    const { config } = await loaded(FILE, { deprecated: ["--old is deprecated"] });
    expect(config.deprecated).toEqual(["--old is deprecated"]);
  });

  test("warns of variables for a server that the file replaces, unless they are of another environment", async () => {
    const env = { PRTG_URL: "https://other.example.com:1616" };
    expect((await loaded(FILE, {}, env)).lines).toEqual([]);
    vi.stubEnv("PRTG_URL", env.PRTG_URL);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect((await loaded(FILE, {}, env)).lines).toMatchObject([
      { variables: ["PRTG_URL"], msg: "environment variables are ignored: the configuration file has servers" },
    ]);
  });

  test("warns of rules without effect", async () => {
    const rule = "{ drop: true, match: { channel: a } }";
    const { lines } = await loaded(`${FILE}mapping: { rules: [${rule}, ${rule}] }`);
    expect(lines).toMatchObject([
      { level: 40, key: expect.stringContaining("rules[1]"), msg: expect.stringContaining("rule without effect: ") },
    ]);
  });

  test("logs bad files of servers_from, and patterns without a file", async () => {
    const { lines, names } = await loaded(`${FILE}servers_from: { files: [/etc/bad.yaml, /etc/none.yaml] }`);
    expect(names).toEqual(SERVERS);
    expect(lines).toMatchObject([
      { level: 50, file: "/etc/bad.yaml", servers: [], msg: "invalid file of servers_from: its servers are not read" },
      { level: 40, files: ["/etc/none.yaml"], msg: "no file matches this path of servers_from" },
    ]);
  });
});
