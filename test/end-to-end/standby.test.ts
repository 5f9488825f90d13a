import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Simulator } from "prtg-simulator/src/simulator.ts";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type Receiver, startReceiver } from "../otlp/support/otlp-http-receiver.ts";
import { type RunningCommand, startCommand } from "../support/command-line.ts";
import { type LeaseServer, startLeaseServer } from "../support/lease-server.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PATIENCE = { timeout: 60_000, interval: 50 };
/** A leader on a busy machine must keep the Lease. */
const TIMES = ["lease-duration=20s", "renew-deadline=15s", "retry-period=1s"].map((each) => `--leader-elect-${each}`);

const GIVEN_BACK = { spec: { holderIdentity: "", leaseDurationSeconds: 1, renewTime: "now" } };

interface Setting {
  readonly simulator: Simulator;
  readonly receiver: Receiver;
  readonly leases: LeaseServer;
  readonly folder: string;
  start(name: string): RunningCommand;
}

/** Pushes events and measurements. `state`: shared folder. */
async function setting(state = "state_dir: state"): Promise<Setting> {
  const [simulator, receiver, leases] = await Promise.all([simulateServer(), startReceiver(), startLeaseServer()]);
  onTestFinished(() => leases.close());
  leases.put(GIVEN_BACK);
  const folder = temporaryFolder({
    "prtg.yaml": `
servers: [{ name: hq, url: "${simulator.url}", auth: { api_key: "\${KEY}" } }]
collectors: { channels: { schedule: 2s } }
${state}
events: { file: events.jsonl }
otlp: { endpoint: "${receiver.url}", events: true }
`,
  });
  const args = ["serve", "--config.file", join(folder, "prtg.yaml"), "--web.listen-address", "127.0.0.1:0"];
  const election = ["--leader-elect", ...TIMES, `--leader-elect-service-account=${leases.accountFolder}`];
  const start = (name: string) =>
    startCommand([...args, ...election], {
      env: {
        KEY: CREDENTIALS.apiKey,
        KUBERNETES_SERVICE_HOST: leases.host,
        KUBERNETES_SERVICE_PORT: String(leases.port),
        POD_NAME: name,
        POD_UID: `uid-of-${name}`,
        OTEL_EXPORTER_OTLP_HEADERS: `x-replica=${name}`,
      },
    });
  return { simulator, receiver, leases, folder, start };
}

async function page(
  replica: RunningCommand,
  path: string,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${await replica.url()}${path}`);
  return { status: response.status, text: await response.text() };
}

function pushers({ requests }: Receiver): unknown[] {
  return requests.map(({ headers }) => headers["x-replica"]);
}

function holder({ lease }: LeaseServer): unknown {
  return lease?.spec?.holderIdentity;
}

describe("standby replica", () => {
  test("is ready and idle, takes over a released Lease and releases it at its end", async () => {
    const { simulator, receiver, leases, folder, start } = await setting();
    const renew = (): void =>
      leases.put({ spec: { holderIdentity: "pod-z_9", leaseDurationSeconds: 20, renewTime: "now" } });
    renew();
    const renewing = setInterval(renew, 500);
    onTestFinished(() => clearInterval(renewing));
    const replica = start("pod-a");
    await replica.until(/another replica is the leader/);
    expect((await page(replica, "/-/ready")).status).toBe(200);
    const { text } = await page(replica, "/metrics");
    expect(text).toContain('prtg_exporter_leader{lease="monitoring/prtg-exporter"} 0\n');
    expect(text).toMatch(/^prtg_exporter_build_info\{/m);
    expect(text).toMatch(/^process_resident_memory_bytes /m);
    expect(text).not.toMatch(/^prtg_(?!exporter_)/m);
    expect(text).not.toContain('server="hq"');
    // Scrapers and discovery find their data.
    expect((await page(replica, "/metrics/hq")).status).toBe(200);
    expect((await page(replica, "/metrics/other")).status).toBe(404);
    expect((await page(replica, "/sd")).status).toBe(503);
    const status = JSON.parse((await page(replica, "/status.json")).text);
    expect(status.leadership).toEqual({
      role: "standby",
      lease: "monitoring/prtg-exporter",
      identity: "pod-a_uid-of-pod-a",
      leader: "pod-z_9",
    });
    expect((await page(replica, "/")).text).toMatch(/This replica is on standby.*pod-z_9/s);
    replica.kill("SIGHUP");
    await replica.until(/the configuration has not changed/);
    expect(simulator.requests.count({})).toBe(0);
    expect(receiver.requests).toEqual([]);
    expect(readdirSync(folder)).toEqual(["prtg.yaml"]);

    clearInterval(renewing);
    leases.put(GIVEN_BACK);
    await replica.until(/first poll finished: ready/);
    const after = (await page(replica, "/metrics")).text;
    expect(after).toContain('prtg_exporter_leader{lease="monitoring/prtg-exporter"} 1\n');
    expect(after).toContain('prtg_up{server="hq"} 1\n');
    expect((await page(replica, "/sd")).status).toBe(200);
    expect(JSON.parse((await page(replica, "/status.json")).text).leadership.role).toBe("leader");
    await vi.waitFor(() => expect(pushers(receiver)).toContain("pod-a"), PATIENCE);
    expect(readdirSync(folder).toSorted()).toEqual(expect.arrayContaining(["prtg.yaml", "state"]));
    expect(holder(leases)).toBe("pod-a_uid-of-pod-a");

    replica.kill("SIGTERM");
    const { code, stderr } = await replica.ended;
    expect(code, stderr).toBe(0);
    expect(holder(leases)).toBe("");
    expect(stderr).not.toMatch(/"level":"(error|fatal)"|unhandled/i);
  }, 120_000);

  test("resumes in its pod after a kill, and a leader that cannot renew ends in time", async () => {
    const { receiver, leases, start } = await setting();
    const first = start("pod-a");
    await first.until(/first poll finished: ready/);
    await vi.waitFor(() => expect(pushers(receiver)).toContain("pod-a"), PATIENCE);
    const transitions = leases.lease?.spec?.leaseTransitions;
    first.kill("SIGKILL");
    await first.ended;
    const before = receiver.requests.length;
    const again = start("pod-a");
    await again.until(/first poll finished: ready/);
    await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThan(before), PATIENCE);
    expect(leases.lease?.spec?.leaseTransitions).toBe(transitions);

    leases.isSilent = true;
    const { code, stderr } = await again.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("this replica is no longer the leader, and exits");
    // No other replica could hold it yet.
    expect(holder(leases)).toBe("pod-a_uid-of-pod-a");
  }, 180_000);

  test("takes over from a hanging leader, which sends nothing afterwards", async () => {
    const { receiver, start } = await setting("");
    const first = start("pod-a");
    await first.until(/first poll finished: ready/);
    const second = start("pod-b");
    await second.until(/another replica is the leader/);
    await vi.waitFor(() => expect(pushers(receiver)).toContain("pod-a"), PATIENCE);
    first.kill("SIGSTOP");
    await second.until(/this replica is the leader/);
    const before = receiver.requests.length;
    await vi.waitFor(() => expect(pushers(receiver).slice(before)).toContain("pod-b"), PATIENCE);
    first.kill("SIGCONT");
    expect((await first.ended).code).toBe(1);
    expect(new Set(pushers(receiver).slice(before))).toEqual(new Set(["pod-b"]));
  }, 180_000);

  test("rejects invalid ports, folders and times instead of taking over", async () => {
    const { leases } = await setting();
    const env = { PRTG_URL: "http://127.0.0.1:9", PRTG_API_KEY: "a-key" };
    const outside = startCommand(["serve", "--leader-elect"], { env });
    const kubernetes = { KUBERNETES_SERVICE_HOST: leases.host, KUBERNETES_SERVICE_PORT: String(leases.port) };
    const times = ["--leader-elect", "--leader-elect-renew-deadline=10s"];
    const impossible = ["serve", "serve --config.check", "check"].map((command) =>
      startCommand([...command.split(" "), ...times, `--leader-elect-service-account=${leases.accountFolder}`], {
        env: { ...env, ...kubernetes },
      }),
    );
    expect(await outside.ended).toMatchObject({ code: 1, stderr: expect.stringContaining("[NOT_IN_CLUSTER]") });
    for (const { ended } of impossible) {
      expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining("[LEADER_ELECTION_INVALID]") });
    }
  }, 60_000);
});
