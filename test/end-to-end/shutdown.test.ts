import { connect } from "node:net";
import { join } from "node:path";
import type { Simulator } from "prtg-simulator/src/simulator.ts";
import { describe, expect, test, vi } from "vitest";
import { type RunningCommand, startCommand } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Sessions end, own responses may be cut. */
const GRACE_MS = 5_000;
/** For a busy machine, but well below the request timeout of 30 s. */
const SLACK_MS = 9_000;
/** Seven processes start at once. */
const PATIENCE = { timeout: 120_000, interval: 20 };

function serveWithLogin(url: string): RunningCommand {
  const folder = temporaryFolder({ "password.txt": CREDENTIALS.password });
  return startCommand(["serve", "--web.listen-address", "127.0.0.1:0"], {
    env: {
      PRTG_URL: url,
      PRTG_USERNAME: CREDENTIALS.username,
      PRTG_PASSWORD_FILE: join(folder, "password.txt"),
    },
  });
}

async function expectCleanEnd(command: RunningCommand, signal: NodeJS.Signals, withinMs: number): Promise<void> {
  const started = performance.now();
  command.kill(signal);
  const { code, stderr } = await command.ended;
  expect(code, stderr).toBe(0);
  expect(performance.now() - started).toBeLessThan(withinMs);
  expect(stderr).toContain(`stopping on ${signal}`);
  expect(stderr.trimEnd().split("\n").at(-1)).toContain('"msg":"stopped"');
  expect(stderr).not.toMatch(/"level":"fatal"|Warning|unhandled/i);
}

function sessions({ requests }: Simulator): { opened: number; ended: number } {
  return {
    opened: requests.count({ method: "POST", route: "/session", status: 200 }),
    ended: requests.count({ method: "DELETE", route: "/session", status: 204 }),
  };
}

type Phase = (signal: NodeJS.Signals) => Promise<void>;

const inItsFirstRequest: Phase = async (signal) => {
  const simulator = await simulateServer({ faults: ["latency=20s"] });
  const serve = serveWithLogin(simulator.url);
  await vi.waitFor(() => expect(simulator.requests.inFlight).toBe(1), PATIENCE);
  await expectCleanEnd(serve, signal, SLACK_MS);
};

const betweenPolls: Phase = async (signal) => {
  const simulator = await simulateServer();
  const serve = serveWithLogin(simulator.url);
  await serve.until(/first poll finished: ready/);
  await expectCleanEnd(serve, signal, SLACK_MS);
  expect(sessions(simulator)).toEqual({ opened: 1, ended: 1 });
};

const whileTheServerIsDown: Phase = async (signal) => {
  const serve = serveWithLogin(`http://127.0.0.1:${await freePort()}`);
  await serve.until(/reading the server failed/);
  await expectCleanEnd(serve, signal, SLACK_MS);
};

const whenTheServerDoesNotAnswerTheLogout: Phase = async (signal) => {
  const simulator = await simulateServer({ faults: ["hang@DELETE:/session"] });
  const serve = serveWithLogin(simulator.url);
  await serve.until(/first poll finished: ready/);
  await expectCleanEnd(serve, signal, GRACE_MS + SLACK_MS);
};

const whileAScraperDoesNotFinishItsRequest: Phase = async (signal) => {
  const simulator = await simulateServer();
  const serve = serveWithLogin(simulator.url);
  const { hostname, port } = new URL(await serve.url());
  await serve.until(/first poll finished: ready/);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  socket.write("GET /metrics HTTP/1.1\r\nHost: x\r\n");
  await vi.waitFor(() => expect(socket.bytesWritten).toBeGreaterThan(0), PATIENCE);
  await expectCleanEnd(serve, signal, SLACK_MS);
  socket.destroy();
};

describe("stop signal", () => {
  // In parallel: they mostly wait.
  test("ends serve and its session in every phase", async () => {
    await Promise.all([
      whenTheServerDoesNotAnswerTheLogout("SIGINT"),
      betweenPolls("SIGTERM"),
      betweenPolls("SIGINT"),
      inItsFirstRequest("SIGTERM"),
      inItsFirstRequest("SIGINT"),
      whileTheServerIsDown("SIGTERM"),
      whileAScraperDoesNotFinishItsRequest("SIGTERM"),
    ]);
  }, 240_000);
});

describe("demo and simulate", () => {
  test("end cleanly before and after the first poll", async () => {
    const size = ["--sensors", "20"];
    const early = startCommand(["demo", ...size, "--web.listen-address", "127.0.0.1:0", "--fault", "latency=3s"]);
    const late = startCommand(["demo", ...size, "--web.listen-address", "127.0.0.1:0"]);
    const server = startCommand(["simulate", ...size, "--listen-address", "127.0.0.1:0"]);
    await Promise.all([early.url(), late.until(/Open (\S+)/), server.until(/try: curl/)]);
    for (const command of [early, late, server]) command.kill("SIGINT");
    const [{ stdout }, ...others] = await Promise.all([early.ended, late.ended, server.ended]);
    expect([(await early.ended).code, ...others.map(({ code }) => code)]).toEqual([0, 0, 0]);
    expect(stdout).toBe("");
    expect(late.stdout).toMatch(
      /^The first poll of 20 simulated sensors is complete after [\d.]+ s\.\nOpen (http:\/\/127\.0\.0\.1:\d+) +the status page\n +\1\/metrics +the metrics page +\(Ctrl-C stops the demo\)\n$/,
    );
  });
});

describe("internal fault", () => {
  test("ends the log with one line without the secret, and gives exit code 1", async () => {
    const simulator = await simulateServer();
    const faults = { unhandledRejection: "Promise.reject(error)", uncaughtException: "throw error" };
    const runs = Object.entries(faults).map(async ([origin, fault]) => {
      const preload = `process.once("SIGUSR2", () => { const error = new Error("boom the-right-key"); ${fault}; })`;
      const serve = startCommand(["serve", "--web.listen-address", "127.0.0.1:0"], {
        env: { PRTG_URL: simulator.url, PRTG_API_KEY: CREDENTIALS.apiKey },
        node: ["--import", `data:text/javascript,${encodeURIComponent(preload)}`],
      });
      await serve.until(/first poll finished: ready/);
      serve.kill("SIGUSR2");
      const { code, stderr } = await serve.ended;
      expect(code).toBe(1);
      const last: unknown = JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "");
      expect(last).toMatchObject({
        level: "fatal",
        origin,
        err: "boom [redacted]",
        stack: expect.stringMatching(/^Error: boom \[redacted\]\n +at /),
      });
    });
    await Promise.all(runs);
  });
});
