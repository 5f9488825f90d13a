import { expect, test, vi } from "vitest";
import { ConnectionPool } from "../../../src/lib/http/connection-pool.ts";
import { sendJson, startApiServer } from "../../prtg/support/api-server.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const create = vi.hoisted(() => ({ failures: 1 }));

vi.mock("../../../src/lib/http/connections.ts", async (original) => {
  const { createConnections } = await original<typeof import("../../../src/lib/http/connections.ts")>();
  return {
    createConnections: (...given: Parameters<typeof createConnections>) => {
      if (create.failures-- > 0) throw new Error("EMFILE: too many open files");
      return createConnections(...given);
    },
  };
});

test("a pool that could not be made is made for the next request", async () => {
  const server = await startApiServer((_request, response) => sendJson(response, {}));
  const { signal } = new AbortController();
  const options = { origin: new URL(server.url).origin, connections: 1, timeoutMs: 5_000, clock: new ManualClock() };
  const pool = new ConnectionPool(options);
  const ask = () => pool.request({ method: "GET", path: "/", signal });
  await expect(ask()).rejects.toThrow("EMFILE");
  const { statusCode, body } = await ask();
  await body.dump();
  expect(statusCode).toBe(200);
  await pool.destroy();
});
