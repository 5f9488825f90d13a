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
  const { status, json, headers } = await post(service, `/experimental/${path}/autodiscoveryjob`, body);
  expect(status).toBe(201);
  const [job] = json as { id: string; href: string }[];
  expect(headers.get("location")).toBe(job?.href);
  return job?.id ?? "";
}

async function historyOf({ send }: RunningService, id: string): Promise<Run[]> {
  return (await send(`${JOBS}/${id}/history`)).json as Run[];
}

describe("auto-discovery jobs", () => {
  test("include the jobs of the initial world", async () => {
    const { send, ids } = await startService();
    expect(await ids(JOBS)).toEqual(["701", "702", "703"]);
    const { json, headers } = await send(`${JOBS}?limit=1`);
    expect(headers.get("x-total-count")).toBe("3");
    expect(json).toEqual([
      {
        id: "701",
        name: "Weekly sweep of Network",
        href: "/api/v2/experimental/autodiscoveryjobs/701",
        kind: "autodiscoveryjob",
        status: "idle",
        basic: { name: "Weekly sweep of Network" },
        parent: expect.objectContaining({ id: "10", type: "REFERENCED_GROUP", href: "/api/v2/groups/10" }),
        autodiscovery: { schedule: "weekly", devicetemplates: ["generic-snmp.odt", "generic-ping.odt"] },
        created_at: "2026-02-07T16:25:10Z",
        next_run_at: "2026-03-14T16:25:10Z",
        last_run: expect.objectContaining({
          trigger: "schedule",
          status: "finished",
          progress: 100,
          devices_found: 2,
          devices_added: 0,
          started_at: "2026-03-07T16:25:10Z",
          finished_at: "2026-03-07T16:27:10Z",
        }),
      },
    ]);
  });

  test.each([
    ['name = "Nightly search"', "702"],
    ['parentid = "10"', "701"],
    ["autodiscoveryactive = true", ""],
    ["autodiscoveryprogress = 100", "701 702"],
    ["autodiscoveryprogress = nil", "703"],
  ])("filter %s finds %s", async (filter, found) => {
    const { ids } = await startService();
    expect((await ids(JOBS + query({ filter }))).join(" ")).toBe(found);
  });

  test.each([
    ["devices/100", "Auto-discovery of core-sw-1"],
    ["groups/11", 'Auto-discovery of Größe "π" \\ 漢\ufffd'],
    ["probes/2", "Auto-discovery of Remote"],
  ])("can be created on %s", async (path, name) => {
    const service = await startService();
    const id = await createOn(service, path);
    expect((await service.send(`${JOBS}/${id}`)).json).toMatchObject({
      status: "idle",
      next_run_at: null,
      last_run: null,
      parent: { id: path.split("/")[1] },
      autodiscovery: { schedule: "once", devicetemplates: [] },
    });
    expect(((await service.send(`${JOBS}/${id}`)).json as { name: string }).name.toWellFormed()).toBe(name);
  });

  test("accept edits of single settings", async () => {
    const service = await startService();
    const settings = { basic: { name: "mine" }, autodiscovery: { devicetemplates: ["linux-ssh.odt"] } };
    const id = await createOn(service, "groups/20", settings);
    const edit = (body: object) => service.send(`${JOBS}/${id}`, { method: "PATCH", body: JSON.stringify(body) });
    const edited = await edit({ autodiscovery: { schedule: "hourly" } });
    expect([edited.status, edited.text]).toEqual([204, ""]);
    expect((await service.send(`${JOBS}/${id}`)).json).toMatchObject({
      name: "mine",
      autodiscovery: { schedule: "hourly", devicetemplates: ["linux-ssh.odt"] },
      next_run_at: "2026-03-12T18:55:10Z",
    });
    await edit({ basic: { name: "yours" }, autodiscovery: { devicetemplates: [] } });
    expect((await service.send(`${JOBS}/${id}`)).json).toMatchObject({
      name: "yours",
      basic: { name: "yours" },
      autodiscovery: { schedule: "hourly", devicetemplates: [] },
    });
  });

  test.each([
    ["POST", "/experimental/groups/20/autodiscoveryjob", { basic: { name: "" } }, "400 BAD_REQUEST"],
    ["POST", "/experimental/groups/20/autodiscoveryjob", { autodiscovery: { colour: "red" } }, "400 BAD_REQUEST"],
    [
      ...(["POST", "/experimental/groups/20/autodiscoveryjob"] as const),
      ...([{ autodiscovery: { devicetemplates: ["x.odt"] } }, "404 NOT_FOUND"] as const),
    ],
    ["POST", "/experimental/groups/0/autodiscoveryjob", {}, "404 NOT_FOUND"],
    ["POST", "/experimental/groups/100/autodiscoveryjob", {}, "404 NOT_FOUND"],
    ["POST", "/experimental/devices/10/autodiscoveryjob", {}, "404 NOT_FOUND"],
    ["POST", "/experimental/probes/4711/autodiscoveryjob", {}, "404 NOT_FOUND"],
    ["PATCH", `${JOBS}/701`, { autodiscovery: { schedule: 5 } }, "400 BAD_REQUEST"],
  ] as const)("%s %s with %j fails with %s", async (method, path, body, refusal) => {
    const { send } = await startService();
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    expect(outcome(await send(path, { method, ...text }))).toBe(refusal);
  });

  test("stay hidden if the user cannot see their object", async () => {
    const { send, ids } = await startService();
    const bearer = "RESTRICTED";
    expect(await ids(JOBS, { bearer })).toEqual(["703"]);
    for (const [method, path] of [
      ["GET", `${JOBS}/701`],
      ["DELETE", `${JOBS}/701`],
      ["POST", `${JOBS}/701/start`],
    ] as const) {
      expect(outcome(await send(path, { method, bearer }))).toBe("404 NOT_FOUND");
    }
    const history = (await send(`${JOBS}/history`, { bearer })).json;
    expect(history).toEqual([]);
  });
});

describe("started auto-discovery job", () => {
  test("runs for some minutes and then finds devices", async () => {
    const service = await startService();
    const id = await createOn(service, "groups/20");
    const { status, text } = await post(service, `${JOBS}/${id}/start`);
    expect([status, text]).toEqual([204, ""]);
    expect(outcome(await post(service, `${JOBS}/${id}/start`))).toBe("400 WRONG_NODE_STATUS");
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

  test("is impossible while its object is paused or disconnected", async () => {
    const service = await startService();
    const { world } = service.simulator;
    const id = await createOn(service, "groups/20");
    world.pause("20", service.clock.now());
    expect(outcome(await post(service, `${JOBS}/${id}/start`))).toBe("400 WRONG_NODE_STATUS");
    world.force("20", "disconnected", service.clock.now());
    expect(outcome(await post(service, `${JOBS}/${id}/start`))).toBe("400 WRONG_NODE_STATUS");
    world.resume("20", service.clock.now());
    expect((await post(service, `${JOBS}/${id}/start`)).status).toBe(204);
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

describe("history of auto-discovery jobs", () => {
  test("lists the latest run first, in pages, for one job and for all jobs", async () => {
    const service = await startService();
    const own = await historyOf(service, "702");
    expect(own.length).toBe(4);
    const { json, headers } = await service.send(`${JOBS}/history?limit=3&offset=2`);
    const all = (await service.send(`${JOBS}/history`)).json as { started_at: string }[];
    const times = all.map(({ started_at }) => started_at);
    expect(times).toEqual(times.toSorted().reverse());
    expect(json).toEqual(all.slice(2, 5));
    expect([headers.get("x-total-count"), headers.get("x-result-count")]).toEqual(["8", "3"]);
  });

  test("accepts no filter", async () => {
    const { send } = await startService();
    expect((await send(`${JOBS}/history?filter=nonsense`)).status).toBe(200);
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
