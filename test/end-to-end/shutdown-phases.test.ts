import { execFileSync } from "node:child_process";
import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Simulator } from "prtg-simulator/src/simulator.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { decodeReceived } from "../otlp/support/decode-metrics.ts";
import { type RunningCommand, startCommand } from "../support/command-line.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Five seconds of grace plus load. */
const MAX_MS = 9_000;
const PATIENCE = { timeout: 25_000, interval: 20 };

interface Setting {
  readonly simulator: Simulator;
  readonly config: string;
  readonly folder: string;
  start(...args: string[]): RunningCommand;
  configure(more: string): void;
}

async function setUp(faults: readonly string[] = [], more = ""): Promise<Setting> {
  const simulator = await simulateServer({ faults });
  const base = `servers: [{ name: hq, url: "${simulator.url}", auth: { username: ${CREDENTIALS.username}, password_file: password } }]\n`;
  const folder = temporaryFolder({ password: CREDENTIALS.password, "prtg.yaml": base + more });
  const config = join(folder, "prtg.yaml");
  return {
    simulator,
    config,
    folder,
    start: (...args) => startCommand([...args, "--config.file", config], {}),
    configure: (changed) => writeFileSync(config, base + changed),
  };
}

const SERVE = ["serve", "--web.listen-address", "127.0.0.1:0"];

function loginUnderWay({ requests }: Simulator): boolean {
  return requests.inFlight > 0 && requests.count({ route: "/health" }) > 0;
}

async function startReceiver(delayMs: number) {
  const pushes: { readonly at: number; readonly names: ReadonlySet<string> }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => undefined);
    for await (const chunk of request) chunks.push(chunk);
    if (delayMs === Number.POSITIVE_INFINITY) return;
    await setTimeout(delayMs);
    const metrics = decodeReceived(request.headers, Buffer.concat(chunks)).flatMap((resource) => resource.metrics);
    pushes.push({ at: performance.now(), names: new Set(metrics.map(({ name }) => name)) });
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { pushes, section: `otlp: { endpoint: "http://127.0.0.1:${port}", interval: 60s }\nstate_dir: state\n` };
}

/** `code`: expected exit code. */
interface Phase {
  readonly code: number;
  readonly reach: () => Promise<{
    command: RunningCommand;
    simulator: Simulator;
    after?: (signalledAt: number) => void;
  }>;
}

const PHASES: Readonly<Record<string, Phase>> = {
  "serve, the login under way": {
    code: 0,
    reach: async () => {
      const { simulator, start } = await setUp(["latency=1500ms@POST:/session"]);
      const command = start(...SERVE);
      await vi.waitFor(() => expect(loginUnderWay(simulator)).toBe(true), PATIENCE);
      return { command, simulator, after: () => expect(opened(simulator)).toBe(1) };
    },
  },
  "serve, in the middle of its first poll": {
    code: 0,
    reach: async () => {
      const { simulator, start } = await setUp(["hang@/experimental/sensors"]);
      const command = start(...SERVE);
      await vi.waitFor(() => {
        expect(opened(simulator)).toBe(1);
        expect(simulator.requests.inFlight).toBe(1);
      }, PATIENCE);
      return { command, simulator };
    },
  },
  "serve, pushing to a slow receiver": {
    code: 0,
    reach: async () => {
      const receiver = await startReceiver(500);
      const { simulator, start } = await setUp([], receiver.section);
      const command = start(...SERVE);
      // Values may come before the final state is known.
      await command.until(/first poll finished/);
      await vi.waitFor(() => expect(receiver.pushes.length).toBeGreaterThan(0), PATIENCE);
      const after = (signalledAt: number) => {
        const names = receiver.pushes.filter(({ at }) => at > signalledAt).flatMap(({ names: own }) => [...own]);
        // Final state: the interval is a minute.
        expect(names).toContain("prtg.sensor_status_code");
      };
      return { command, simulator, after };
    },
  },
  "serve, pushing to a receiver that does not answer": {
    code: 0,
    reach: async () => {
      const receiver = await startReceiver(Number.POSITIVE_INFINITY);
      const { simulator, start } = await setUp([], receiver.section);
      const command = start(...SERVE);
      await command.until(/first poll finished/);
      return { command, simulator };
    },
  },
  "serve, reloading": {
    code: 0,
    reach: async () => {
      const { simulator, start, configure } = await setUp();
      const command = start(...SERVE);
      await command.until(/first poll finished/);
      configure("labels: { keep: [] }\nmapping: { presets: [base-units] }\n");
      command.kill("SIGHUP");
      return { command, simulator };
    },
  },
  "serve --once": {
    code: 143,
    reach: async () => {
      const { simulator, start } = await setUp(["hang@/experimental/channels"]);
      const command = start("serve", "--once");
      await vi.waitFor(() => {
        expect(opened(simulator)).toBe(1);
        expect(simulator.requests.count({ route: "/experimental/sensors" })).toBeGreaterThan(0);
      }, PATIENCE);
      return { command, simulator };
    },
  },
  check: {
    code: 143,
    reach: async () => {
      const { simulator, start } = await setUp(["hang@/experimental/sensors"]);
      const command = start("check");
      await vi.waitFor(() => {
        expect(opened(simulator)).toBe(1);
        expect(simulator.requests.inFlight).toBe(1);
      }, PATIENCE);
      return { command, simulator };
    },
  },
  backfill: {
    code: 143,
    reach: async () => {
      const { simulator, start, folder } = await setUp(["hang@/experimental/timeseries/*"]);
      const command = start("backfill", "--from", "2d", "--output", join(folder, "history"));
      await vi.waitFor(() => {
        expect(opened(simulator)).toBe(1);
        expect(simulator.requests.count({ route: "/experimental/channels" })).toBeGreaterThan(0);
        expect(simulator.requests.inFlight).toBeGreaterThan(0);
      }, PATIENCE);
      return { command, simulator };
    },
  },
};

function opened({ requests }: Simulator): number {
  return requests.count({ method: "POST", route: "/session", status: 200 });
}

test.each(Object.entries(PHASES))("SIGTERM ends %s in time, with its session", async (_name, { code, reach }) => {
  const { command, simulator, after } = await reach();
  const signalledAt = performance.now();
  command.kill("SIGTERM");
  const ended = await command.ended;
  expect(ended.code, ended.stderr).toBe(code);
  expect(performance.now() - signalledAt).toBeLessThan(MAX_MS);
  expect(ended.stderr).not.toMatch(/"level":"fatal"|unhandled/i);
  await vi.waitFor(
    () =>
      expect(simulator.requests.count({ method: "DELETE", route: "/session", status: 204 })).toBe(opened(simulator)),
    PATIENCE,
  );
  after?.(signalledAt);
});

test("SIGTERM works while the program is loading", async () => {
  const { start } = await setUp();
  const ends = [20, 150, 300, 500, 900].map(async (delayMs) => {
    const command = start(...SERVE);
    await setTimeout(delayMs);
    command.kill("SIGTERM");
    const { code, stderr } = await command.ended;
    // Null: not started yet. 0: served briefly.
    expect([0, 143, null], `${delayMs} ms: ${stderr}`).toContain(code);
  });
  await Promise.all(ends);
}, 60_000);

test.each(["serve", "check"])(
  "a secret pipe without a writer does not delay the end of %s",
  async (name) => {
    const folder = temporaryFolder({
      "prtg.yaml": 'servers: [{ name: hq, url: "http://127.0.0.1:1", auth: { api_key_file: key } }]\n',
    });
    // A pipe without a writer acts like a hanging file system.
    execFileSync("mkfifo", [join(folder, "key")]);
    const flags = ["--config.file", join(folder, "prtg.yaml"), "--log.level", "info"];
    const program = startCommand([name, ...flags], {});
    if (name === "check") {
      const { code, stdout, stderr } = await program.ended;
      expect(code).toBe(1);
      expect(stdout + stderr).toContain("no data within 10 s");
      return;
    }
    const fds = `/proc/${program.pid}/fd`;
    const isReading = () => readdirSync(fds).some((fd) => readlinkSync(join(fds, fd)) === join(folder, "key"));
    await vi.waitFor(() => expect(isReading()).toBe(true), PATIENCE);
    const signalledAt = performance.now();
    program.kill("SIGTERM");
    expect((await program.ended).code).toBe(0);
    expect(performance.now() - signalledAt).toBeLessThan(MAX_MS);
  },
  30_000,
);
