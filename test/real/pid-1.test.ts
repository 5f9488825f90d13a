import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { PROGRAMS_REQUIRED } from "./support/programs.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** A PID namespace, also without root. */
const FIRST_PROCESS = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"];
const PERMITTED = spawnSync("unshare", [...FIRST_PROCESS, "true"]).status === 0;
const WHY = PERMITTED || PROGRAMS_REQUIRED ? "" : " (skipped: this system lets no user make a PID namespace)";

async function startAsFirstProcess() {
  const simulator = await simulateServer();
  const command = [process.execPath, join(ROOT, "src/main.ts"), "serve", "--web.listen-address", "127.0.0.1:0"];
  const child = spawn("unshare", [...FIRST_PROCESS, ...command], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { PRTG_URL: simulator.url, PRTG_USERNAME: CREDENTIALS.username, PRTG_PASSWORD: CREDENTIALS.password },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  const pid = await vi.waitFor(
    () => {
      const found = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim();
      expect(readFileSync(`/proc/${found}/status`, "utf8")).toMatch(/^NSpid:.*\t1$/m);
      return Number(found);
    },
    { timeout: 60_000, interval: 10 },
  );
  return { simulator, ended, log: () => log, signal: (name: NodeJS.Signals) => process.kill(pid, name) };
}

test.skipIf(!PERMITTED && !PROGRAMS_REQUIRED)(`process 1 handles signals and ends its session${WHY}`, async () => {
  const { simulator, ended, log, signal } = await startAsFirstProcess();
  await vi.waitFor(() => expect(log()).toContain("first poll finished"), { timeout: 60_000 });
  signal("SIGHUP");
  await vi.waitFor(() => expect(log()).toContain("the configuration has not changed"), { timeout: 60_000 });
  const signalledAt = performance.now();
  signal("SIGTERM");
  expect(await ended).toBe(0);
  expect(performance.now() - signalledAt).toBeLessThan(9_000);
  expect(log()).toContain('"msg":"stopped"');
  const { requests } = simulator;
  expect(requests.count({ method: "DELETE", route: "/session", status: 204 })).toBe(1);
});

test.skipIf(!PERMITTED && !PROGRAMS_REQUIRED)(`process 1 ends on a signal during loading${WHY}`, async () => {
  const { ended, signal } = await startAsFirstProcess();
  let over = false;
  void ended.then(() => {
    over = true;
  });
  // The kernel ignores signals until Node handles them. Then none may be lost.
  const signalledAt = performance.now();
  while (!over && performance.now() - signalledAt < 25_000) {
    try {
      signal("SIGTERM");
    } catch {
      break;
    }
    await setTimeout(100);
  }
  expect([0, 143]).toContain(await ended);
});
