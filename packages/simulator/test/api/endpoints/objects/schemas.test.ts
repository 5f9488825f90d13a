import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import type { SpellingName } from "../../../../src/records/spelling.ts";
import { createWorld } from "../../../../src/world/world.ts";
import { outcome, post } from "../../../support/accounts.ts";
import { type RunningService, startService } from "../../../support/running-service.ts";
import { NOW } from "../../../support/static-world.ts";

const ajv = new Ajv2020({ strict: false });
ajvFormats.default(ajv);
const SPELLINGS: readonly SpellingName[] = ["specification", "live"];

interface Definition {
  readonly kind: string;
  readonly name: string;
  readonly purpose: string;
  readonly schema: { readonly properties: Readonly<Record<string, unknown>>; readonly required: readonly string[] };
}

async function definition({ send }: RunningService, path: string): Promise<Definition> {
  const { status, json, text } = await send(path);
  expect(status, text).toBe(200);
  return json as Definition;
}

function fits({ schema }: Definition, value: unknown): string {
  return ajv.validate(schema, value) ? "fits" : ajv.errorsText();
}

const EDITS: readonly (readonly [path: string, body: object, takes: boolean])[] = [
  ["/experimental/groups/10", { basic: { name: "new", tags: ["a"], priority: 5 } }, true],
  ["/experimental/groups/10", { basic: { name: "" } }, false],
  ["/experimental/groups/10", { basic: { priority: 6 } }, false],
  ["/experimental/groups/10", { basic: { host: "10.0.0.1" } }, false],
  ["/experimental/groups/10", { basic: { tags: "a" } }, false],
  ["/experimental/groups/10", { basic: { active: false } }, false],
  ["/experimental/groups/10", { colours: { red: "1" } }, false],
  ["/experimental/groups/10", { intervalgroup: { interval: 300, errorintervalsdown: 2 } }, true],
  ["/experimental/groups/10", { intervalgroup: { interval: 61 } }, false],
  ["/experimental/groups/10", { windowsconnection: { windowslogindomain: "", windowsloginusername: "u" } }, true],
  ["/experimental/groups/10", { scheduledependency: { schedule: "Weekends" } }, true],
  ["/devices/100", { basic: { host: "10.0.0.1", hostv6: "", ipversion: 1 } }, true],
  ["/devices/100", { basic: { host: "" } }, false],
  ["/devices/100", { basic: { ipversion: 6 } }, false],
  ["/experimental/sensors/1000", { basic: { name: "p" }, intervalgroup: { interval: 30 } }, true],
  ["/experimental/sensors/1000", { windowsconnection: { windowslogindomain: "x" } }, false],
  ["/experimental/sensors/1000", { basic: { host: "x" } }, false],
];

describe.each(SPELLINGS)("%s: schema for editing", (spelling) => {
  test.each(EDITS)("%s with %j: %s", async (path, body, takes) => {
    const service = await startService({ spelling });
    const id = path.split("/").at(-1);
    const edit = await definition(service, `/experimental/schemas/${id}/patch?include=all_sections`);
    expect(edit.purpose).toBe("update");
    expect(fits(edit, body) === "fits").toBe(takes);
    const { status, text } = await service.send(path, { method: "PATCH", body: JSON.stringify(body) });
    expect(status, text).toBe(takes ? 204 : 400);
  });
});

describe.each(SPELLINGS)("%s: schema for creating", (spelling) => {
  test.each<[string, string, string, object, boolean]>([
    ["10", "device", "/experimental/groups/10/device", { basic: { name: "d", host: "h" } }, true],
    ["10", "device", "/experimental/groups/10/device", { basic: { name: "d" } }, false],
    ["1", "device", "/experimental/probes/1/device", {}, false],
    ["1", "group", "/experimental/probes/1/group", { basic: { name: "g" } }, true],
    ["1", "group", "/experimental/probes/1/group", { basic: {} }, false],
    ["10", "group", "/experimental/groups/10/group", { basic: { name: "g", host: "h" } }, false],
    ["100", "ping", "/experimental/devices/100/sensor?kindid=ping", { basic: { name: "p" } }, true],
    ["100", "ping", "/experimental/devices/100/sensor?kindid=ping", {}, true],
    ["100", "ping", "/experimental/devices/100/sensor?kindid=ping", { basic: { name: 5 } }, false],
  ])("below %s of a %s: %s with %j: %s", async (parent, kind, path, body, takes) => {
    const service = await startService({ spelling });
    const create = await definition(service, `/experimental/schemas/${parent}/post?kind=${kind}&include=all_sections`);
    expect(create).toMatchObject({ kind, purpose: "create" });
    expect(fits(create, body) === "fits").toBe(takes);
    const { status, text } = await post(service, path, body);
    expect(status, text).toBe(takes ? 201 : 400);
  });
});

interface Kind {
  readonly kind: string;
  readonly creatable: boolean;
  readonly hints: readonly string[] | null;
  readonly href: string;
}

async function kindsBelow({ send }: RunningService, parent: string): Promise<Kind[]> {
  return (await send(`/experimental/schemas/${parent}`)).json as Kind[];
}

describe("creatable kinds", () => {
  test.each([
    ["ping", null],
    ["wmiservice", ["CredentialsMissing"]],
    ["probestate", ["SensorNeedsProbeDevice"]],
    ["corestate", ["SensorNeedsLocalProbeDevice"]],
  ])("exist for %s on a device of the local probe: %j", async (kind, hints) => {
    const service = await startService();
    const found = (await kindsBelow(service, "100")).find((each) => each.kind === kind);
    expect([found?.creatable, found?.hints]).toEqual([hints === null, hints]);
    const created = await post(service, `/experimental/devices/100/sensor?kindid=${kind}`, {});
    expect(outcome(created)).toBe(hints === null ? "201" : "400 BAD_REQUEST");
  });

  test("depend on the probe if the device is a probe device", async () => {
    const world = createWorld({ seed: 1, size: { probes: 2, sensors: 200 }, startedAt: NOW });
    const service = await startService({ world });
    const hintsOn = async (probe: number): Promise<unknown[]> => {
      const device = world.list("probe")[probe]?.children.find(({ type }) => type === "Probe Device");
      const kinds = await kindsBelow(service, device?.id ?? "");
      return ["wmiservice", "probestate", "corestate"].map((kind) => kinds.find((each) => each.kind === kind)?.hints);
    };
    expect(await hintsOn(0)).toEqual([null, null, null]);
    expect(await hintsOn(1)).toEqual([["CredentialsMissing"], null, ["SensorNeedsLocalProbe"]]);
  });

  test("use inherited credentials", async () => {
    const world = createWorld({ seed: 1, size: { sensors: 60 }, startedAt: NOW });
    const service = await startService({ world, spelling: "specification" });
    const device = world.list("device").find(({ parent }) => parent?.kind === "group");
    const creatable = async (): Promise<boolean | undefined> => {
      return (await kindsBelow(service, device?.id ?? "")).find(({ kind }) => kind === "wmiservice")?.creatable;
    };
    expect(await creatable()).toBe(false);
    world.edit(device?.parent?.id ?? "", { windows: { domain: "", username: "svc", password: "x" } }, NOW);
    expect(await creatable()).toBe(true);
  });

  test("are missing below a disconnected probe", async () => {
    const service = await startService();
    service.simulator.world.force("2", "disconnected", service.clock.now());
    const kinds = await kindsBelow(service, "200");
    expect(kinds.filter(({ creatable }) => creatable)).toEqual([]);
    expect(kinds.find(({ kind }) => kind === "ping")?.hints).toEqual(["ProbeIsDisconnected"]);
    expect(kinds.find(({ kind }) => kind === "corestate")?.hints).toEqual([
      "ProbeIsDisconnected",
      "SensorNeedsLocalProbe",
    ]);
    const created = await post(service, "/experimental/devices/200/sensor?kindid=ping", {});
    expect(outcome(created)).toBe("400 WRONG_NODE_STATUS");
    expect((await kindsBelow(service, "20")).every(({ creatable }) => creatable)).toBe(true);
  });
});
