import { expect, test } from "vitest";
import { startService } from "../../support/running-service.ts";

test("public settings need no user", async () => {
  const { send } = await startService();
  const { status, json } = await send("/settings/public", { bearer: null });
  expect([status, json]).toEqual([
    200,
    {
      site_name: "PRTG Network Monitor (simulated)",
      language: "en",
      time_zone: "UTC",
      single_sign_on: false,
      password_reset: true,
    },
  ]);
});

test("the license covers the world and counts its current sensors", async () => {
  const { send, simulator } = await startService();
  const license = {
    edition: "PRTG 500",
    license_name: "Simulated Monitoring",
    status: "active",
    sensors_allowed: 500,
    valid_until: "2027-03-12T00:00:00Z",
  };
  expect((await send("/experimental/license")).json).toEqual({ ...license, sensors_used: 4 });
  simulator.world.addSensor("100", "one more", simulator.now());
  expect((await send("/experimental/license")).json).toMatchObject({ sensors_used: 5 });
});
