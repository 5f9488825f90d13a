import { expect, test } from "vitest";
import { SENSOR_KINDS } from "../../../../src/simulator/world/sensors/sensor-kinds.ts";
import { outcome } from "../../support/accounts.ts";
import { startService } from "../../support/running-service.ts";

test("device templates are files that name kinds of sensors of the world", async () => {
  const { send } = await startService();
  const templates = (await send("/experimental/devices/templates")).json as { id: string; sensor_kinds: string[] }[];
  expect(templates.length).toBeGreaterThan(5);
  for (const { id, sensor_kinds } of templates) {
    expect(id).toMatch(/\.odt$/);
    expect(sensor_kinds.filter((kind) => !SENSOR_KINDS.has(kind))).toEqual([]);
  }
});

test("device icons have the fields of the specification", async () => {
  const { send } = await startService();
  const icons = (await send("/devices/icons")).json as { id: string }[];
  expect(icons[0]).toEqual({ id: "a_server_1", href: "/icons/devices/a_server_1", extensions: ["svg", "png"] });
  expect(new Set(icons.map(({ id }) => id)).size).toBe(icons.length);
});

test.each(["/experimental/devices/templates", "/devices/icons"])("GET %s needs a user", async (path) => {
  const { send } = await startService();
  expect(outcome(await send(path, { bearer: null }))).toBe("401 AUTH_FAILED");
});
