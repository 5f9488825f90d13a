import { describe, expect, test } from "vitest";
import { outcome, post } from "../../support/accounts.ts";
import { query, type RunningService, startService } from "../../support/running-service.ts";

const JOBS = "/experimental/autodiscoveryjobs";
const MINUTE = 60_000;

interface Run {
  readonly id: string;
  readonly status: string;
  readonly progress: number;
  readonly devices_found: number;
  readonly devices_added: number;
  readonly finished_at: string | null;
}

async function createOn(service: RunningService, path: string, body: object = {}): Promise<string> {
  const { json } = await post(service, `/experimental/${path}/autodiscoveryjob`, body);
  const [job] = json as { id: string }[];
  return job?.id ?? "";
}

async function historyOf({ send }: RunningService, id: string): Promise<Run[]> {
  return (await send(`${JOBS}/${id}/history`)).json as Run[];
}

describe("started auto-discovery job", () => {
  test("runs for some minutes and then finds devices", async () => {
    const service = await startService();
    const id = await createOn(service, "groups/20");
    await post(service, `${JOBS}/${id}/start`);
    const [begun] = await historyOf(service, id);
    expect(begun).toMatchObject({ status: "running", progress: 0, devices_found: 0, finished_at: null });
    await service.clock.advance(MINUTE);
    expect((await historyOf(service, id))[0]).toMatchObject({ status: "running", progress: 50 });
    expect((await service.send(`${JOBS}/${id}`)).json).toMatchObject({ status: "running" });
    await service.clock.advance(MINUTE);
    const [over] = await historyOf(service, id);
    expect(over).toMatchObject({ status: "finished", progress: 100, finished_at: "2026-03-12T17:57:10Z" });
    expect(over?.devices_found).toBe(1 + (over?.devices_added ?? Number.NaN));
    expect((await post(service, `${JOBS}/${id}/start`)).status).toBe(204);
  });

  test("adds its devices to the tree for all users", async () => {
    const service = await startService();
    const id = await createOn(service, "groups/20", { autodiscovery: { devicetemplates: ["generic-ping.odt"] } });
    let added = 0;
    for (let turn = 0; turn < 4; turn++) {
      await post(service, `${JOBS}/${id}/start`);
      await service.clock.advance(2 * MINUTE);
      added += (await historyOf(service, id))[0]?.devices_added ?? 0;
    }
    expect(added).toBeGreaterThan(0);
    const filter = `autodiscoveryjobgroup.discojobid = "${id}"`;
    const devices = await service.ids(`/experimental/devices${query({ filter })}`);
    expect(devices.length).toBe(added);
    const below = query({ filter: `descendants autodiscoveryjobgroup.discojobid = "${id}" and type = sensor` });
    expect((await service.ids(`/experimental/sensors${below}`)).length).toBe(added);
    expect((await service.ids("/devices", { bearer: "RESTRICTED" })).length).toBe(2 + added);
  });

  test("finds its device if it runs on a device", async () => {
    const service = await startService();
    const id = await createOn(service, "devices/100");
    await post(service, `${JOBS}/${id}/start`);
    await service.clock.advance(2 * MINUTE);
    expect((await historyOf(service, id))[0]).toMatchObject({ devices_found: 1, devices_added: 0 });
  });

  test("ends when its object is deleted", async () => {
    const service = await startService();
    const id = await createOn(service, "devices/200");
    await post(service, `${JOBS}/${id}/start`);
    service.simulator.world.remove("200");
    await service.clock.advance(10 * MINUTE);
    expect(outcome(await service.send(`${JOBS}/${id}`))).toBe("404 NOT_FOUND");
  });
});

describe("GET /autodiscoveries", () => {
  test("lists running and finished jobs", async () => {
    const service = await startService();
    const id = await createOn(service, "groups/20");
    expect(await service.ids("/autodiscoveries")).toEqual(["701", "702"]);
    await post(service, `${JOBS}/${id}/start`);
    await service.clock.advance(30_000);
    expect(await service.ids(`/autodiscoveries${query({ sort_by: "-autodiscoveryactive,name" })}`)).toEqual([
      id,
      "702",
      "701",
    ]);
    const { json } = await service.send(`/autodiscoveries${query({ filter: "autodiscoveryactive = true" })}`);
    expect(json).toEqual([
      {
        id,
        name: "Auto-discovery of Remote LAN",
        active: true,
        progress: 25,
        devices_found: expect.any(Number),
        started_at: "2026-03-12T17:55:10Z",
        object: expect.objectContaining({ id: "20" }),
      },
    ]);
    await service.clock.advance(90_000);
    expect(await service.ids(`/autodiscoveries${query({ filter: "autodiscoveryprogress < 100" })}`)).toEqual([]);
  });
});
