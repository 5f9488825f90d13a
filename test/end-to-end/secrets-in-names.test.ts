import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { runCommand, startCommand } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { ENCODINGS, startEchoingServer } from "./support/echoing-server.ts";

const API_KEY = 'K3y/+planted=&<%~"\\';
const PASSWORD = "planted-p4ssword/+~";

const PAGES = [
  ...[
    "/metrics",
    "/sd",
    "/status.json",
    "/",
    "/tree?server=hq",
    "/tree?server=hq&object=40",
    "/debug/cardinality",
    "/debug/runs",
  ],
  ...["/debug/explain?object=3", "/debug/explain?object=40", "/search?q=name"],
];

const AUTHS = {
  "an API key": { auth: '{ api_key: "${KEY}" }', env: { KEY: API_KEY }, secret: API_KEY },
  "a session": { auth: '{ username: u, password: "${PW}" }', env: { PW: PASSWORD }, secret: undefined },
};

function configOf(url: string, receiver: string, auth: string, more = ""): string {
  return `servers:
  - { name: hq, url: "${url}", auth: ${auth}, limits: { requests_per_second: 1000 } }
collectors: { health: { schedule: 1s }, tree: { schedule: 1s }, status: { schedule: 1s }, channels: { schedule: 1s } }
labels: { from_tags: [{ label: role, tag: "tag-*" }] }
mapping:
  rules: [{ match: { channel: "/^name (?<text>.*)/" }, name: echo, help: An echo., labels: { text: $<text> } }]
state_dir: state
events: { file: events.jsonl, structure: true }
otlp: { endpoint: "${receiver}", interval: 1s, events: true${more} }
`;
}

/** All files except the configuration. */
function filesBelow(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.endsWith(".yaml"));
  return new Map(
    files.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), "latin1")]),
  );
}

function expectClean(secrets: readonly string[], text: string, where: string): void {
  for (const secret of secrets) {
    for (const [name, encode] of Object.entries(ENCODINGS)) {
      const form = Buffer.from(encode(secret)).toString("latin1").replace(/=+$/, "");
      // Page encodings add escapes.
      for (const written of [form, JSON.stringify(form).slice(1, -1)]) {
        expect(text.includes(written), `${name} of ${secret} in ${where}`).toBe(false);
      }
    }
  }
}

describe.each(Object.entries(AUTHS))("server that echoes %s in every text", (_, { auth, env, secret }) => {
  test.each(["prometheus", "otel"])(
    "leaks it to no page, file or push with the profile %s",
    async (profile) => {
      const [server, receiver] = await Promise.all([startEchoingServer(), startReceiver()]);
      const secretsNow = () => (secret === undefined ? [PASSWORD, ...server.tokens.slice(-2)] : [secret]);
      const folder = temporaryFolder({
        "prtg.yaml": configOf(server.url, receiver.url, auth, `, profile: ${profile}`),
      });
      const config = ["--config.file", join(folder, "prtg.yaml")];
      const serve = startCommand(["serve", ...config, "--web.listen-address", "127.0.0.1:0"], { env });
      const url = await serve.url();
      await serve.until(/first poll finished/);
      await vi.waitFor(() => expect(receiver.records.length).toBeGreaterThan(0), { timeout: 30_000 });
      await vi.waitFor(() => expect(receiver.points.length).toBeGreaterThan(0), { timeout: 30_000 });
      if (secret === undefined) {
        // Unchanged names now contain the next token.
        await vi.waitFor(() => expect(server.tokens.length).toBeGreaterThan(1), { timeout: 30_000 });
        await new Promise((resolve) => setTimeout(resolve, 3_000));
      }
      const readMetrics = async () => (await fetch(`${url}/metrics`)).text();
      // States need lookups, which are not part of the first poll.
      await vi.waitFor(async () => expect(await readMetrics()).toMatch(/^prtg_channel_state\{/m), { timeout: 30_000 });
      for (const page of PAGES) {
        const answer = await fetch(url + page, { headers: { accept: page === "/metrics" ? "text/plain" : "*/*" } });
        expectClean(secretsNow(), await answer.text(), page);
      }
      const metrics = await readMetrics();
      expect(metrics).toContain('problem="secret"');
      expect(metrics).toMatch(/^echo\{.*text="\[redacted\]"/m);
      expect(metrics).toMatch(/^prtg_channel_value\{.*role="\[redacted\]"/m);
      expect(metrics).toMatch(/^prtg_channel_state\{.*state="state \[redacted\]/m);
      const series = metrics
        .split("\n")
        .filter((line) => /^[a-z]/.test(line))
        .map((line) => line.replace(/ \S+$/, ""));
      expect(new Set(series).size).toBe(series.length);
      serve.kill("SIGTERM");
      const { stdout, stderr } = await serve.ended;
      expectClean([...server.tokens, ...secretsNow()], stdout + stderr, "the log");
      for (const { body, path } of receiver.requests) {
        expectClean(secret === undefined ? server.tokens : [secret], body.toString("latin1"), path);
      }
      for (const [path, text] of filesBelow(folder)) {
        expectClean(secret === undefined ? server.tokens : [secret], text, path);
      }
    },
    120_000,
  );

  test("leaks it to no report, recording, map or backfill", async () => {
    const [server, receiver] = await Promise.all([startEchoingServer(), startReceiver()]);
    const folder = temporaryFolder({ "prtg.yaml": configOf(server.url, receiver.url, auth) });
    const file = (name: string) => join(folder, name);
    const config = ["--config.file", file("prtg.yaml")];
    for (const args of [
      ["check", ...config, "--report", file("report.json")],
      ["map", ...config, "--all", "--save", file("recording.json")],
      ["map", ...config, "--all", "--format", "json"],
      ["map", ...config, "--sensor", "40"],
      ["backfill", ...config, "--from", "4h", "--to", "1m", "--output", file("history")],
      ["serve", ...config, "--once"],
    ]) {
      const { stdout, stderr } = await runCommand(args, { env });
      expectClean(
        [...server.tokens, ...(secret === undefined ? [PASSWORD] : [secret])],
        stdout + stderr,
        args.join(" "),
      );
    }
    const files = filesBelow(folder);
    expect([...files.keys()].filter((path) => path.endsWith(".om"))).not.toEqual([]);
    for (const name of ["report.json", "recording.json"]) expect(files.has(file(name))).toBe(true);
    for (const [path, text] of files) {
      expectClean([...server.tokens, ...(secret === undefined ? [PASSWORD] : [secret])], text, path);
    }
  }, 120_000);
});
