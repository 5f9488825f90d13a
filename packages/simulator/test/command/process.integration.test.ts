import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const SIMULATOR = [join(ROOT, "packages/simulator/src/main.ts")];
const SIMULATE = [join(ROOT, "src/main.ts"), "simulate"];
const SMALL = ["--sensors", "20", "--listen-address", "127.0.0.1:0"];

function start(program: readonly string[], args: readonly string[]) {
  const env = { NODE_COMPILE_CACHE: join(ROOT, "node_modules/.cache/compile"), NO_COLOR: "1" };
  const child = spawn(process.execPath, [...program, ...args], { stdio: "pipe", env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdout.resume();
  const ended = once(child, "close").then(([code, signal]) => ({ code, signal, stderr }));
  return { child, ended };
}

async function ready(file: string): Promise<Readonly<Record<string, unknown>>> {
  await expect.poll(() => existsSync(file)).toBe(true);
  return JSON.parse(readFileSync(file, "utf8"));
}

test.each([
  ["prtg-simulator", SIMULATOR],
  ["prtg-exporter simulate", SIMULATE],
])("%s says where it listens, and ends with its standard input", async (_, program) => {
  const file = join(temporaryFolder({}), "ready.json");
  const { child, ended } = start(program, [...SMALL, "--exit-with-stdin", "--ready-file", file]);
  const facts = await ready(file);
  expect(facts).toMatchObject({ pid: child.pid, fingerprint: null, url: `http://127.0.0.1:${facts.port}` });
  expect(facts.address).toBe(`127.0.0.1:${facts.port}`);
  expect((await fetch(`${facts.url}/api/v2/health`)).status).toBe(204);
  child.stdin.end();
  expect(await ended).toEqual({ code: 0, signal: null, stderr: "" });
  expect(existsSync(file)).toBe(false);
});

test.each(["SIGTERM", "SIGINT"] as const)("ends with %s although its standard input stays open", async (signal) => {
  const file = join(temporaryFolder({}), "ready.json");
  const { child, ended } = start(SIMULATOR, [...SMALL, "--exit-with-stdin", "--ready-file", file, "--tls"]);
  expect((await ready(file)).fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  child.kill(signal);
  expect(await ended).toMatchObject({ code: 0 });
  expect(existsSync(file)).toBe(false);
});

test.each([
  [["--nonsense"], 2, "unknown option '--nonsense'"],
  [["extra"], 2, "too many arguments"],
  [["--sensors", "many"], 2, "Give a whole number"],
  [["--session-lifetime", "0s"], 2, "Give a duration such as 90s or 30m"],
  [["--tls-cert", "cert.pem"], 2, "give --tls-cert and --tls-key together"],
  [["--api-key", ""], 2, "an API key must not be empty"],
  [["--fault", "explode"], 2, 'there is no fault called "explode"'],
  [["--fault", "hang@/experimental/sensor"], 2, "The nearest paths: /experimental/sensors"],
  [["--scenario", "missing"], 1, "cannot read the scenario missing"],
  [["--ready-file", "/no/such/folder/ready.json"], 1, "cannot write the file /no/such/folder/ready.json"],
  [["--help"], 0, ""],
  [["--version"], 0, ""],
] as const)("%j ends with %i", async (args, code, message) => {
  for (const program of message === "" ? [SIMULATOR] : [SIMULATOR, SIMULATE]) {
    const result = await start(program, [...SMALL, ...args]).ended;
    expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(message)]);
  }
});
