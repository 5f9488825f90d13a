import { describe, expect, test } from "vitest";
import { compareServers, type RankedServer, serverState } from "../../../src/app/reports/server-order.ts";
import type { StatusToken } from "../../../src/prtg/status.ts";

function server(
  name: string,
  state: RankedServer["state"],
  counts: Partial<Record<StatusToken, number>> = {},
): RankedServer {
  return { name, state, sensorsByStatus: new Map(Object.entries(counts) as [StatusToken, number][]) };
}

describe("order of servers, the worst first", () => {
  test.each([
    ["unreachable before failing", server("z", "unreachable"), server("a", "failing", { down: 9 })],
    ["failing before impaired", server("z", "failing"), server("a", "impaired", { down: 9 })],
    ["impaired before starting", server("z", "impaired"), server("a", "starting", { down: 9 })],
    ["starting before working", server("z", "starting"), server("a", "working", { down: 9 })],
    ["more sensors down", server("z", "working", { down: 2 }), server("a", "working", { down: 1, warning: 9 })],
    [
      "partly down and disconnected are down",
      server("z", "working", { down: 1, partialdown: 1, disconnected: 1 }),
      server("a", "working", { down: 2, acknowledged: 9 }),
    ],
    [
      "unknown sensors may be down",
      server("z", "working", { down: 1, unknown: 386 }),
      server("a", "working", { down: 9, warning: 9 }),
    ],
    ["then more warnings", server("z", "working", { down: 1, warning: 2 }), server("a", "working", { down: 1 })],
    ["unusual counts as a warning", server("z", "working", { unusual: 1 }), server("a", "working", { up: 9_000 })],
    ["then by name", server("Customer a", "working"), server("customer B", "working")],
    ["numbers in names sort as numbers", server("customer 9", "failing"), server("customer 10", "failing")],
  ])("%s", (_rule, worse, better) => {
    expect(Math.sign(compareServers(worse, better))).toBe(-1);
    expect(Math.sign(compareServers(better, worse))).toBe(1);
    expect(compareServers(worse, worse)).toBe(0);
  });
});

test.each([
  ["working", { isUp: true }],
  ["impaired", { isUp: true, hasFailures: true }],
  ["impaired", { isUp: true, hasFailures: true, isHeldBack: true }],
  ["unreachable", { isHeldBack: true, hasFailures: true }],
  ["failing", { hasFailures: true }],
  ["starting", {}],
] as const)("a server is %s if %j", (state, seen) => {
  expect(serverState({ isUp: false, isHeldBack: false, hasFailures: false, ...seen })).toBe(state);
});
