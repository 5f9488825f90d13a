import { describe, expect, test } from "vitest";
import { LOOKUPS } from "../../../../src/simulator/world/sensors/lookups.ts";
import { createWorld } from "../../../../src/simulator/world/world.ts";
import { outcome } from "../../support/accounts.ts";
import { query, startService } from "../../support/running-service.ts";
import { NOW } from "../../support/tiny-world.ts";

describe("lookup definitions", () => {
  test("are listed in pages", async () => {
    const { send, ids } = await startService();
    expect(await ids("/lookup-definitions")).toEqual(LOOKUPS.map(({ id }) => id));
    const { headers } = await send("/lookup-definitions?limit=5&offset=5");
    expect(headers.get("x-total-count")).toBe(String(LOOKUPS.length));
    expect(headers.get("link")).toContain("offset=10");
  });

  test("are found one by one, where their href says", async () => {
    const { send } = await startService();
    const { json } = await send(`/lookup-definitions${query({ filter: "lookuptype = range" })}`);
    const [first] = json as { href: string }[];
    expect(first).toEqual({
      id: "prtg.simulated.certificate.keylength",
      name: "Certificate Key Length",
      lookup_type: "range",
      href: "/api/v2/lookup-definitions/prtg.simulated.certificate.keylength",
      desired_value: 4096,
      values: [
        { value: 0, to: 1023, text: "Unsafe", state: "error" },
        { value: 1024, to: 2047, text: "Weak", state: "warning" },
        { value: 2048, to: 3071, text: "Good", state: "ok" },
        { value: 3072, to: 16_384, text: "Very Good", state: "ok" },
      ],
    });
    expect((await send(first?.href.replace("/api/v2", "") ?? "")).json).toEqual(first);
  });

  test("lead from the channels that use them to their texts", async () => {
    const world = createWorld({ seed: 1, size: { sensors: 200 }, startedAt: NOW });
    const { send } = await startService({ world });
    const filter = query({ filter: "lookupdefinitionid != nil", include: "values", limit: "1" });
    const { json } = await send(`/experimental/channels${filter}`);
    const [channel] = json as { values: { lookup: string } }[];
    const lookup = await send(`/lookup-definitions/${channel?.values.lookup}`);
    expect(lookup.json).toMatchObject({ id: channel?.values.lookup, values: expect.any(Array) });
  });

  test.each([
    [{ filter: 'lookupdefinitionid = "prtg.simulated.door"' }, "prtg.simulated.door"],
    [{ filter: 'lookupdefinitionid matches "power"' }, "prtg.simulated.power.state prtg.simulated.power.supply"],
    [{ filter: "lookuptype = bitfield" }, "prtg.simulated.paper.tray"],
    [{ sort_by: "-name", limit: "2" }, "prtg.simulated.service.state prtg.simulated.power.state"],
  ])("%j gives %s", async (parameters, found) => {
    const { ids } = await startService();
    expect((await ids(`/lookup-definitions${query(parameters)}`)).join(" ")).toBe(found);
  });

  test.each([
    ["/lookup-definitions/prtg.simulated.nothing", "404 NOT_FOUND"],
    ["/lookup-definitions?filter=lookuptype%3Dfunny", "400 INVALID_FILTER"],
    ["/lookup-definitions?sort_by=funny", "400 BAD_REQUEST"],
  ])("GET %s is refused with %s", async (path, refusal) => {
    const { send } = await startService();
    expect(outcome(await send(path))).toBe(refusal);
  });
});
