import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { DEPRECATED_NAMES, type DeprecatedName } from "../../src/config/deprecated-names.ts";
import { runCommand, startCommand } from "../support/command-line.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const TABLE = pathToFileURL(join(import.meta.dirname, "../../src/config/deprecated-names.ts")).href;
const NAMES: readonly DeprecatedName[] = [
  { kind: "key", name: "collectors.tree.schedule", since: "1.1.0", use: "use `collectors.tree.cron`" },
  { kind: "flag", name: "serve --log.format", since: "1.1.0", use: "use `--log.layout`" },
  { kind: "flag", name: "check --log.format", since: "1.1.0", use: "use `--log.layout`" },
  { kind: "flag", name: "simulate --log.format", since: "1.1.0", use: "use `--log.layout`" },
];
/** Fills the table of the program, which is empty. */
const FILL = `import { DEPRECATED_NAMES } from ${JSON.stringify(TABLE)}; DEPRECATED_NAMES.push(...${JSON.stringify(NAMES)});`;
const NODE = ["--import", `data:text/javascript,${encodeURIComponent(FILL)}`];
const OPTIONS = { env: { KEY: CREDENTIALS.apiKey }, node: NODE };
const KEY = "prtg.yaml:2:23: collectors.tree.schedule: deprecated since 1.1.0: use `collectors.tree.cron`";
const FLAG = "--log.format: deprecated since 1.1.0: use `--log.layout`";

async function configured() {
  expect(DEPRECATED_NAMES.some(({ name }) => name === "collectors.tree.schedule")).toBe(false);
  const { url } = await simulateServer();
  const folder = temporaryFolder({
    "prtg.yaml": `servers: [{ name: hq, url: "${url}", auth: { api_key: "\${KEY}" } }]
collectors: { tree: { schedule: 1h } }
`,
  });
  return ["--config.file", join(folder, "prtg.yaml"), "--log.format", "json"];
}

test("serve logs each deprecated key and flag once, also after a reload, and counts them", async () => {
  const args = await configured();
  const exporter = startCommand(["serve", ...args, "--web.listen-address", "127.0.0.1:0"], OPTIONS);
  const url = await exporter.url();
  exporter.kill("SIGHUP");
  await exporter.until(/the configuration has not changed/);
  const page = await (await fetch(`${url}/metrics`)).text();
  expect(page).toMatch(/^prtg_exporter_deprecated_settings 2$/m);
  exporter.kill("SIGTERM");
  const { stderr } = await exporter.ended;
  const warnings = stderr.split("\n").filter((line) => line.includes("deprecated since"));
  expect(warnings.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ level: "warn", msg: FLAG }),
    expect.objectContaining({ level: "warn", msg: expect.stringContaining(KEY) }),
  ]);
});

test("check prints deprecated keys and flags", async () => {
  const { code, stdout } = await runCommand(["check", ...(await configured())], OPTIONS);
  expect(code).toBe(0);
  const warnings = stdout.split("\n").filter((line) => line.startsWith("warning: "));
  expect(warnings).toEqual([`warning: ${FLAG}`, expect.stringContaining(KEY)]);
});

test("a command without a configuration logs them, too", async () => {
  const flags = ["--log.format", "json", "--listen-address", "127.0.0.1:0", "--sensors", "10"];
  const simulator = startCommand(["simulate", ...flags], OPTIONS);
  await simulator.until(/http:\/\//);
  simulator.kill("SIGTERM");
  const { stderr } = await simulator.ended;
  expect(JSON.parse(stderr)).toMatchObject({ level: "warn", msg: FLAG });
});
