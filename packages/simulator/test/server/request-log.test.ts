import { describe, expect, test } from "vitest";
import { ManualClock } from "../../../../test/support/manual-clock.ts";
import { RequestLog } from "../../src/server/request-log.ts";

const LIMIT = 4_000_000;

function add(log: RequestLog, id: number, url: string, body = ""): void {
  const request = log.open(String(id), "GET", url);
  request.body = body;
  request.finish(200, 0);
}

describe("request log", () => {
  test.each([true, false])("keeps long URLs of at most 4 MB, with contents: %s", (keepsContents) => {
    const log = new RequestLog({ clock: new ManualClock(), keepsContents });
    for (let i = 0; i < 1000; i++) add(log, i, `/${"x".repeat(9_999)}`);
    expect(log.recent().map(({ requestId }) => Number(requestId))).toEqual(
      Array.from({ length: LIMIT / 10_000 }, (_, i) => 600 + i),
    );
    expect(log.count()).toBe(1000);
    log.reset();
    for (let i = 0; i < 10; i++) add(log, i, `/${"x".repeat(9_999)}`);
    expect(log.recent()).toHaveLength(10);
  });

  test("drops headers and bodies before requests", () => {
    const log = new RequestLog({ clock: new ManualClock(), keepsContents: true });
    for (let i = 0; i < 100; i++) add(log, i, `/${"x".repeat(9_999)}`, "x".repeat(90_000));
    expect(log.recent()).toHaveLength(100);
    const contents = log.recent().filter(({ requestId }) => log.contentsOf(requestId) !== undefined);
    expect(contents.map(({ requestId }) => Number(requestId))).toEqual(Array.from({ length: 33 }, (_, i) => 67 + i));
  });
});
