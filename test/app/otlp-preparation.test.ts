import { expect, test } from "vitest";
import { reloadWaitMs } from "../../src/app/otlp-preparation.ts";

/** NFS keeps the locks of a dead machine so long. */
const NFS_LEASE_MS = 90_000;

test("a reload waits for the claim of another process only if replicas elect a leader", () => {
  const leadership = { lease: "monitoring/prtg-exporter", identity: "pod-a_1", isLeading: true, holder: "pod-a_1" };
  expect(reloadWaitMs({})).toBe(0);
  expect(reloadWaitMs({ leadership })).toBeGreaterThan(NFS_LEASE_MS);
});
