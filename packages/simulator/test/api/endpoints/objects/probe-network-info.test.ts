import { expect, test } from "vitest";
import { startService } from "../../../support/running-service.ts";
import { SINCE } from "../../../support/tiny-world.ts";

test("the built-in probe is local and other probes are remote", async () => {
  const { send } = await startService({ spelling: "live" });
  expect((await send("/probes/1/info")).json).toEqual({
    probe: { id: "1", type: "REFERENCED_PROBE", name: "Local Probe", href: "/api/v2/probes/1" },
    local: true,
    connected: true,
    status_since: "2026-03-12T17:02:11Z",
    ip_address: "127.0.0.1",
    port: 23_560,
    encrypted: false,
  });
  const address = expect.stringMatching(/^192\.0\.2\.([1-9]\d?|1\d\d|2[0-4]\d|25[0-4])$/);
  const remote = (await send("/probes/2/info")).json;
  expect(remote).toMatchObject({ probe: { id: "2" }, local: false, encrypted: true, ip_address: address });
  expect((await send("/probes/2/info")).json).toEqual(remote);
});

test("a disconnected probe reports its status", async () => {
  const { send, simulator } = await startService({ spelling: "live" });
  simulator.world.force("2", "disconnected", SINCE);
  expect((await send("/probes/2/info")).json).toMatchObject({ connected: false });
  simulator.world.pause("2", SINCE);
  expect((await send("/probes/2/info")).json).toMatchObject({ connected: true });
});
