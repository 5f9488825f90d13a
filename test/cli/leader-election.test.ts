import { hostname } from "node:os";
import { describe, expect, test } from "vitest";
import { electionTimes } from "../../src/cli/flags.ts";
import { type ElectionFlags, openElection, openLease } from "../../src/cli/leader-election.ts";
import { certificate } from "../support/certificates.ts";
import { testContext } from "../support/simulated-exporter.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ENV = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };

function account(): ElectionFlags {
  const files = { token: "token-1\n", "ca.crt": certificate("ca.pem"), namespace: "monitoring" };
  return { leaderElect: true, leaderElectServiceAccount: temporaryFolder(files) };
}

describe("times of an election", () => {
  const S = 1_000;
  test.each<{ lease?: number; renew?: number; retry?: number; valid: boolean }>([
    { valid: true },
    { lease: 12_500, renew: 10 * S, retry: 5 * S, valid: true },
    { lease: 12_499, renew: 10 * S, retry: 5 * S, valid: false },
    { lease: 60 * S, renew: 10 * S, retry: 5_001, valid: false },
    { lease: 11 * S, valid: false },
    { retry: 5 * S, valid: false },
  ])("of a lease for $lease, renewed within $renew, retried after $retry, are valid: $valid", (row) => {
    const flags = {
      ...(row.lease !== undefined && { leaderElectLeaseDuration: row.lease }),
      ...(row.renew !== undefined && { leaderElectRenewDeadline: row.renew }),
      ...(row.retry !== undefined && { leaderElectRetryPeriod: row.retry }),
    };
    const times = () => electionTimes(flags);
    if (row.valid) {
      expect(times()).toEqual({
        leaseDurationMs: row.lease ?? 12 * S,
        renewDeadlineMs: row.renew ?? 9 * S,
        retryPeriodMs: row.retry ?? 2 * S,
      });
    } else expect(times).toThrow(expect.objectContaining({ code: "LEADER_ELECTION_INVALID" }));
  });

  test("are named in the error", () => {
    const flags = { leaderElectLeaseDuration: 90 * S, leaderElectRenewDeadline: 80 * S };
    expect(() => electionTimes(flags)).toThrow("lease duration, renew deadline and retry period are 1m30s, 1m20s, 2s");
  });
});

describe("Lease", () => {
  test.each<{ flags: ElectionFlags; lease: string }>([
    { flags: {}, lease: "monitoring/prtg-exporter" },
    { flags: { leaderElectResourceName: "other" }, lease: "monitoring/other" },
    { flags: { leaderElectResourceNamespace: "elsewhere" }, lease: "elsewhere/prtg-exporter" },
    { flags: { shard: { index: 0, count: 2 } }, lease: "monitoring/prtg-exporter-0" },
    { flags: { leaderElectResourceName: "other", shard: { index: 1, count: 2 } }, lease: "monitoring/other-1" },
  ])("of $flags is $lease", async ({ flags, lease }) => {
    const opened = await openLease({ ...account(), ...flags }, testContext(), ENV);
    expect(opened).toMatchObject({ lease, origin: "https://10.0.0.1:443", times: { leaseDurationMs: 12_000 } });
  });
});

describe("election", () => {
  test("is absent unless a flag asks for it", async () => {
    const { leaderElect: _flag, ...others } = account();
    for (const flags of [others, { ...others, leaderElect: false }]) {
      expect(await openElection(flags, testContext(), ENV)).toBeUndefined();
    }
  });

  test("begins without a leader, as the pod", async () => {
    const pod = { ...ENV, POD_NAME: "pod-a", POD_UID: "1" };
    const { leadership, elector } = (await openElection(account(), testContext(), pod)) ?? {};
    expect(leadership).toMatchObject({ lease: "monitoring/prtg-exporter", identity: "pod-a_1", isLeading: false });
    expect([leadership?.holder, elector?.identity]).toEqual([undefined, "pod-a_1"]);
  });

  test("has an identity of its own for each process outside of a pod", async () => {
    const identities = await Promise.all(
      [1, 2].map(async () => (await openElection(account(), testContext(), ENV))?.leadership.identity ?? ""),
    );
    for (const identity of identities) expect(identity.startsWith(`${hostname()}_`)).toBe(true);
    expect(new Set(identities).size).toBe(2);
  });
});
