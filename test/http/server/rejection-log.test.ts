import { pino } from "pino";
import { expect, test } from "vitest";
import { createRejectionLog } from "../../../src/http/server/rejection-log.ts";

function logging() {
  const clock = { now: 0 };
  const counted: string[] = [];
  const lines: object[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const note = createRejectionLog(
    log,
    () => clock.now,
    (reason) => void counted.push(reason),
  );
  return { clock, counted, lines, note };
}

test("a kind is logged once a minute, with the number of refusals in between", () => {
  const { clock, counted, lines, note } = logging();
  for (const ms of [0, 1, 59_999, 60_000]) {
    clock.now = ms;
    note("unauthorized", `10.0.0.${ms % 9}`);
  }
  const line = {
    level: 40,
    reason: "unauthorized",
    msg: "refused a request: user name or password is missing or wrong",
  };
  expect(lines).toEqual([
    { ...line, client: "10.0.0.0" },
    { ...line, client: "10.0.0.6", alsoRefused: 2 },
  ]);
  expect(counted).toHaveLength(4);
});

test("kinds are logged independently, with their detail", () => {
  const { lines, note } = logging();
  note("client_certificate", "10.0.0.1", "no client certificate");
  note("connections", "10.0.0.1");
  expect(lines).toMatchObject([
    { reason: "client_certificate", detail: "no client certificate" },
    { reason: "connections" },
  ]);
  expect(lines[1]).not.toHaveProperty("detail");
});

test.each(["body", "malformed", "rate_limit", "slow_reader", "slow_request", "tls"] as const)(
  "%s is counted but not logged, because scanners cause it all day",
  (reason) => {
    const { counted, lines, note } = logging();
    note(reason, "10.0.0.1");
    expect([counted, lines]).toEqual([[reason], []]);
  },
);
