import { expect, test } from "vitest";
import { startService } from "../support/running-service.ts";

test("the server chooses the default limit, and limit=0 returns as many as permitted", async () => {
  const { ids } = await startService({ defaultLimit: 2 });
  expect(await ids("/experimental/channels")).toHaveLength(2);
  expect(await ids("/experimental/channels?limit=0")).toHaveLength(6);
});

test("one request sees a single moment, and simulated time can stop", async () => {
  const { send, simulator, clock } = await startService();
  clock.setWallClock(Date.UTC(2026, 5, 1));
  expect((await send("/health")).headers.get("date")).toBe("Mon, 01 Jun 2026 00:00:00 GMT");
  simulator.freezeAt(Date.UTC(2026, 0, 1));
  expect((await send("/health")).headers.get("date")).toBe("Thu, 01 Jan 2026 00:00:00 GMT");
  expect(simulator.now()).toBe(Date.UTC(2026, 0, 1));
  simulator.freezeAt(undefined);
  expect(simulator.now()).toBe(Date.UTC(2026, 5, 1));
});
