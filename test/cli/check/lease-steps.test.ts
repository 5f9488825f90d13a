import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { leaseFindings } from "../../../src/cli/check/lease-steps.ts";
import type { Finding } from "../../../src/cli/check/step.ts";
import type { ElectionFlags } from "../../../src/cli/leader-election.ts";
import { certificate } from "../../support/certificates.ts";
import { type LeaseServer, startLeaseServer } from "../../support/lease-server.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { testContext } from "../../support/simulated-exporter.ts";

const HELD = { spec: { holderIdentity: "pod-b_2", leaseDurationSeconds: 12, renewTime: "now", leaseTransitions: 4 } };

interface Setting {
  readonly server: LeaseServer;
  readonly clock: ManualClock;
  readonly interrupted: AbortController;
  check(flags?: ElectionFlags): Promise<Finding[]>;
}

async function setting(): Promise<Setting> {
  const server = await startLeaseServer();
  onTestFinished(() => server.close());
  // HTTP dates have whole seconds.
  const clock = new ManualClock(Math.floor(Date.now() / 1_000) * 1_000);
  const interrupted = new AbortController();
  const env = { KUBERNETES_SERVICE_HOST: server.host, KUBERNETES_SERVICE_PORT: String(server.port) };
  const account = { leaderElectServiceAccount: server.accountFolder };
  const context = testContext(clock);
  const check = async (flags: ElectionFlags = {}) => {
    const findings: Finding[] = [];
    const given = { ...account, ...flags };
    for await (const finding of leaseFindings(given, context, env, interrupted.signal)) findings.push(finding);
    return findings;
  };
  return { server, clock, interrupted, check };
}

/** Ahead of ours. */
function setAhead({ server, clock }: Setting, ms: number): void {
  server.intercept = (_request, response) => {
    response.setHeader("date", new Date(clock.now() + ms).toUTCString());
    return false;
  };
}

/** As `subject status: text -> remedy`. */
function lines(findings: readonly Finding[]): string[] {
  return findings.map(({ subject, status, text, remedy = "nothing" }) => `${subject} ${status}: ${text} -> ${remedy}`);
}

test("shows the leader and the rights on the Lease, and changes nothing", async () => {
  const here = await setting();
  const { server, check } = here;
  setAhead(here, 1_000);
  server.put(HELD);
  const before = structuredClone(server.lease);
  const findings = await check();
  expect(lines(findings)).toEqual([
    expect.stringMatching(/^service account ok: https:\/\/127\.0\.0\.1:\d+ is the API server -> nothing$/),
    "lease ok: monitoring/prtg-exporter: pod-b_2 leads -> nothing",
    "lease rights ok: dry run: the API server updates it -> nothing",
    "API server clock ok: the clocks of API server and exporter differ by 1 s -> nothing",
  ]);
  expect(new Set(findings.map((finding) => finding.server))).toEqual(new Set(["leader election"]));
  expect(server.lease).toEqual(before);
  // The leader stays even if the parameter is lost in transit.
  expect(server.requests.at(-1)).toMatchObject({ method: "PUT", body: before });
});

test("reports that it can create a missing Lease, without creating it", async () => {
  const { server, check } = await setting();
  expect(lines(await check()).slice(1, 3)).toEqual([
    "lease ok: monitoring/prtg-exporter: does not exist yet, the first replica creates it -> nothing",
    "lease rights ok: dry run: the API server creates it -> nothing",
  ]);
  expect(server.lease).toBeUndefined();
});

test("accepts a Lease that changes during the check", async () => {
  const { server, check } = await setting();
  server.put(HELD);
  server.intercept = ({ method }) => {
    if (method === "PUT") server.put(HELD);
    return false;
  };
  expect((await check()).slice(0, 3).map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
});

test("uses the Lease of serve with the same flags", async () => {
  const { server, check } = await setting();
  await check({ shard: { index: 2, count: 3 }, leaderElectResourceName: "prtg" });
  expect(server.requests[0]?.path).toBe("/apis/coordination.k8s.io/v1/namespaces/monitoring/leases/prtg-2");
  const [, lease] = await check({ leaderElectResourceNamespace: "elsewhere" });
  expect(lease?.text).toMatch(/^elsewhere\/prtg-exporter: /);
});

test.each<[string, (server: LeaseServer) => unknown, RegExp]>([
  [
    "without the right to read",
    ({ allowed }) => allowed.delete("get"),
    /^lease FAILED: .* cannot be read \(HTTP 403\): .* cannot get resource "leases" \[LEASE_FORBIDDEN\] -> Give the service account a Role/,
  ],
  [
    "without the right to update",
    (server) => {
      server.put(HELD);
      server.allowed.delete("update");
    },
    /^lease rights FAILED: .* cannot be updated \(HTTP 403\): .* \[LEASE_FORBIDDEN\] -> Give the service account a Role/,
  ],
  [
    "without a Lease, and the right to create one",
    ({ allowed }) => allowed.delete("create"),
    /^lease rights FAILED: .* cannot be created \(HTTP 403\): .* \[LEASE_FORBIDDEN\] -> .*create if the Lease does not exist/,
  ],
  [
    "with a token that is not accepted",
    (server) => {
      server.token = "another";
    },
    /^lease FAILED: .* \(HTTP 401\): Unauthorized \[LEASE_FORBIDDEN\] -> /,
  ],
  [
    "with a certificate of another authority",
    ({ accountFolder }) => writeFile(join(accountFolder, "ca.crt"), certificate("prtg.example.com.pem")),
    /^lease FAILED: https:\/\/127\.0\.0\.1:\d+ does not answer: .* \[LEASE_UNAVAILABLE\] -> .*NetworkPolicy/,
  ],
  [
    "with an API server that fails",
    (server) => {
      server.intercept = (_request, response) => {
        response.writeHead(503).end("etcd is away");
        return true;
      };
    },
    /^lease FAILED: .*\(HTTP 503\): etcd is away \[LEASE_UNAVAILABLE\] -> /,
  ],
  [
    "without a token",
    ({ accountFolder }) => rm(join(accountFolder, "token")),
    /^service account FAILED: .*\/token cannot be read: ENOENT.* \[NOT_IN_CLUSTER\] -> Mount the token of the service account/,
  ],
])("%s it names the problem and the remedy, and stops", async (_, spoil, expected) => {
  const { server, check } = await setting();
  await spoil(server);
  const findings = await check();
  expect(lines(findings).at(-1)).toMatch(expected);
  expect(findings.slice(0, -1).every(({ status }) => status === "ok")).toBe(true);
});

test("waits for the API server no longer than serve", async () => {
  const { server, clock, check } = await setting();
  server.isSilent = true;
  const checked = check({ leaderElectRenewDeadline: 6_000, leaderElectRetryPeriod: 1_000 });
  while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(2_000);
  expect(lines(await checked).at(-1)).toMatch(
    /^lease FAILED: https:\/\/127\.0\.0\.1:\d+ did not answer within 2 s \[LEASE_UNAVAILABLE\] -> /,
  );
});

test("stops silently on an interruption", async () => {
  const { server, interrupted, check } = await setting();
  server.isSilent = true;
  const checked = check();
  while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
  interrupted.abort(new Error("stopped by SIGINT"));
  expect((await checked).map(({ subject }) => subject)).toEqual(["service account"]);
});

test.each([
  [-40_000, "40 s behind"],
  [40_000, "40 s ahead"],
])("warns if the clock differs by %i ms", async (ms, words) => {
  const here = await setting();
  setAhead(here, ms);
  const [line = ""] = lines(await here.check()).slice(-1);
  expect(line).toMatch(/^API server clock warning: .* -> Synchronize both clocks with NTP\.$/);
  expect(line).toContain(words);
});
