import type { AccessLevel } from "prtg-simulator/src/auth/accounts.ts";
import type { Simulator } from "prtg-simulator/src/simulator.ts";
import type { SimStatus } from "prtg-simulator/src/world/model.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { never } from "../support/never-aborted.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { rejection, testClient } from "./support/test-client.ts";

const MINUTE = 60_000;
/** The sensor is forced, so scans do not change its status. */
const NOW = Date.now();

let simulator: Simulator;
let sensorId: string;

beforeEach(async () => {
  simulator = await simulateServer();
  simulator.freezeAt(NOW);
  sensorId = simulator.world.list("sensor")[0]?.id ?? "";
});

/** Created as an administrator does: the text of the key is in the answer only. */
async function keyOf(level: AccessLevel): Promise<string> {
  const response = await fetch(`${simulator.url}/api/v2/users/me/api-keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${CREDENTIALS.apiKey}` },
    body: JSON.stringify({ name: "sync", access_level: level }),
  });
  return ((await response.json()) as { readonly key: string }).key;
}

async function acknowledge(level: AccessLevel, durationSeconds = 0, id = sensorId) {
  const key = await keyOf(level);
  const { api } = testClient(simulator.url, { auth: { kind: "api_key", key: async () => key } });
  return api.actions.acknowledge(id, { durationSeconds, message: "ops: reboot (silence 4711)" }, never);
}

function force(status: SimStatus): void {
  simulator.world.force(sensorId, status, NOW - MINUTE);
}

function statusAt(at: number): SimStatus {
  const sensor = simulator.world.list("sensor")[0];
  if (sensor === undefined) throw new Error("no sensor");
  return simulator.world.state(sensor, at).status;
}

describe("an acknowledgement", () => {
  test.each(["ACKNOWLEDGE", "WRITE", "FULL"] as const)("works with a key of the level %s", async (level) => {
    force("down");
    expect(await acknowledge(level)).toBe("done");
    expect(statusAt(NOW)).toBe("acknowledged");
  });

  test.each(["NOT_SET", "READ"] as const)("is refused with a key of the level %s", async (level) => {
    force("down");
    expect(await rejection(acknowledge(level))).toMatchObject({
      code: "API_FORBIDDEN",
      remedy: expect.stringContaining("ACKNOWLEDGE"),
    });
    expect(statusAt(NOW)).toBe("down");
  });

  test.each<[SimStatus, result: string, then: SimStatus]>([
    ["down", "done", "acknowledged"],
    ["partialdown", "done", "acknowledged"],
    ["up", "wrong status", "up"],
    ["pausedbyuser", "wrong status", "pausedbyuser"],
    ["pausedbyschedule", "wrong status", "pausedbyschedule"],
    ["unknown", "wrong status", "unknown"],
  ])("of a sensor that is %s: %s", async (status, result, then) => {
    force(status);
    expect(await acknowledge("ACKNOWLEDGE")).toBe(result);
    expect(statusAt(NOW)).toBe(then);
  });

  test("of an acknowledged sensor is refused and does not move its end", async () => {
    force("down");
    expect(await acknowledge("ACKNOWLEDGE", 60)).toBe("done");
    expect(await acknowledge("ACKNOWLEDGE", 3_600)).toBe("wrong status");
    expect([statusAt(NOW + MINUTE - 1), statusAt(NOW + MINUTE)]).toEqual(["acknowledged", "down"]);
  });

  test.each([
    [1, 1],
    [60, 1],
    [61, 2],
    [3_600, 60],
  ])("of %i s ends after %i min", async (seconds, minutes) => {
    force("down");
    await acknowledge("ACKNOWLEDGE", seconds);
    const end = NOW + minutes * MINUTE;
    expect([statusAt(end - 1), statusAt(end)]).toEqual(["acknowledged", "down"]);
  });

  test("of 0 s has no end", async () => {
    force("down");
    await acknowledge("ACKNOWLEDGE", 0);
    expect(statusAt(NOW + 100_000 * MINUTE)).toBe("acknowledged");
  });

  test("of an unknown sensor reports that it is gone", async () => {
    expect(await acknowledge("ACKNOWLEDGE", 0, "999999")).toBe("gone");
  });
});
