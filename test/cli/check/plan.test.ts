import { describe, expect, test } from "vitest";
import { mappingOf } from "../../../src/app/mapping.ts";
import { checkSteps, firstSteps, type PlannedStep } from "../../../src/cli/check/plan.ts";
import { RuleUse } from "../../../src/mapping/rules/rule-use.ts";
import type { MemoryServer } from "../../collectors/memory-server.ts";
import { channel, smallServer } from "../../collectors/small-server.ts";
import { load } from "../../config/support.ts";

const HTTPS = "https://prtg.example.com:1616";

async function plan({ url = HTTPS, server = "", settings = "" } = {}): Promise<readonly PlannedStep[]> {
  const auth = "auth: { api_key_file: /run/secrets/key }";
  const { config } = await load(`servers: [{ name: hq, url: "${url}", ${auth}${server} }]\n${settings}`);
  return config.servers.flatMap((each) => checkSteps(each, config));
}

async function said(
  steps: readonly PlannedStep[],
  subject: string,
  api: MemoryServer,
  problems: ReadonlyMap<"value" | "record", number> = new Map(),
) {
  const step = steps.find((each) => each.subject === subject);
  if (step === undefined) throw new Error(`no step ${subject}`);
  const { status = "ok", text } = await step.run({
    api,
    signal: new AbortController().signal,
    problems: () => problems,
  });
  return `${status}: ${text}`;
}

describe("steps", () => {
  const subjects = async (given?: Parameters<typeof plan>[0]) => (await plan(given)).map(({ subject }) => subject);
  const LISTS = ["sensors", "devices", "groups", "probes"];
  const CHANNELS = ["channels", "names"];

  test("are those of all enabled collectors, in the order of their news", async () => {
    expect(await subjects()).toEqual([
      ...["connection", "login", "account", "status summary", "object counts"],
      ...[...LISTS, "visibility", ...CHANNELS, "lookups", "limits", "time series"],
    ]);
  });

  test.each([
    { off: ["status"], missing: ["status summary"] },
    { off: ["tree"], missing: ["object counts"] },
    { off: ["status", "tree"], missing: ["status summary", "object counts", ...LISTS, "visibility"] },
    { off: ["channels"], missing: CHANNELS },
    { off: ["limits"], missing: ["lookups", "limits"] },
  ])("lack those of disabled collectors: $off", async ({ off, missing }) => {
    const settings = `collectors: { ${off.map((name) => `${name}: { enabled: false }`).join(", ")} }`;
    expect(await subjects({ settings })).toEqual((await subjects()).filter((each) => !missing.includes(each)));
  });

  test("of a selection check its effect instead of the whole server", async () => {
    const server = ", select: { include: [{ tag: acme }] }";
    const found = await subjects({ server });
    expect(found).toContain("selection");
    for (const each of ["status summary", "object counts", "visibility"]) expect(found).not.toContain(each);
    expect(found.filter((each) => LISTS.includes(each))).toEqual(LISTS.toReversed());
  });

  test("read no time series if that is off", async () => {
    const settings = "collectors: { timeseries: { mode: off } }";
    expect(await subjects({ settings })).not.toContain("time series");
  });

  test("name what serve lacks without them, or the reading that decides it", async () => {
    const steps = await plan({ settings: "collectors: { details: { enabled: true } }" });
    const optional = steps.map(({ subject, reading, without }) => [subject, reading ?? without]);
    expect(optional).toEqual([
      ["connection", undefined],
      ["login", "version"],
      ["account", "it is unknown whether the credentials belong to an administrator"],
      ["status summary", "statusSummary"],
      ["object counts", "objectCounts"],
      ...[...LISTS].map((list) => [list, list.replace(/s$/, "")]),
      ["visibility", undefined],
      ["channels", "channels"],
      ["names", undefined],
      ["lookups", "lookups"],
      ["limits", "limits are missing"],
      ["details", "details"],
      ["time series", "gaps between polls and after outages are not filled"],
    ]);
  });

  test("belong to the collectors whose speed they measure", async () => {
    const steps = await plan({ settings: "collectors: { details: { enabled: true } }" });
    const of = (subject: string) => steps.find((each) => each.subject === subject)?.collectors;
    expect(of("login")).toEqual(["health"]);
    expect(of("sensors")).toEqual(["tree", "status"]);
    expect([of("channels"), of("names")]).toEqual([["channels"], ["channels"]]);
    expect([of("lookups"), of("details"), of("time series")]).toEqual([["limits"], ["details"], ["timeseries"]]);
  });

  test("for new credentials are the first ones, with the smallest list of sensors", async () => {
    const auth = "auth: { api_key_file: /run/secrets/key }";
    const { config } = await load(`servers: [{ name: hq, url: "${HTTPS}", ${auth} }]`);
    const steps = config.servers.flatMap((server) => firstSteps(server));
    expect(steps.map(({ subject }) => subject)).toEqual(["connection", "login", "account", "sensors"]);
    const api = smallServer();
    expect(await said(steps, "sensors", api)).toBe("ok: 2 visible");
    expect(api.asked.at(-1)).toBe("sensor");
  });

  test("include rules of the user, if channels are read", async () => {
    const rules = "mapping: { rules: [{ drop: true, match: { channel: a } }] }";
    const planned = async (more: string) => {
      const auth = "auth: { api_key_file: /run/secrets/key }";
      const { config } = await load(`servers: [{ name: hq, url: "${HTTPS}", ${auth} }]\n${rules}\n${more}`);
      const set = mappingOf(config).mapper.rules;
      const use = set && new RuleUse(set);
      return config.servers.flatMap((each) => checkSteps(each, config, use)).map(({ subject }) => subject);
    };
    expect(await planned("")).toContain("rules");
    expect(await planned("collectors: { channels: { enabled: false } }")).not.toContain("rules");
    expect(await subjects({ settings: rules })).not.toContain("rules");
  });

  test("read the states of channels only after a list of lookups", async () => {
    const api = smallServer();
    const steps = await plan();
    await said(steps, "limits", api);
    expect(api.asked.at(-1)).toBe("limits alerting");
    api.lookupDefinitions = [{ id: "1", name: "oid.custom.state", entries: [] }];
    for (const subject of ["lookups", "limits"]) await said(steps, subject, api);
    expect(api.asked.at(-1)).toBe("limits alerting values");
  });
});

describe("step of the connection", () => {
  const WORKS = "the application server is up and connected to its core";
  const READABLE = "Anyone on the network path can read the credentials";
  test.each([
    { url: HTTPS, expected: `ok: ${HTTPS}: ${WORKS}` },
    {
      url: HTTPS,
      server: ", tls: { insecure_skip_verify: true }",
      expected: `warning: ${HTTPS}: ${WORKS}, but its certificate is not checked. ${READABLE}`,
    },
    {
      url: "http://prtg.example.com:1616",
      expected: `warning: http://prtg.example.com:1616: ${WORKS}, but without TLS. ${READABLE}`,
    },
    { url: "http://127.0.0.1:1616", expected: `ok: http://127.0.0.1:1616: ${WORKS}` },
    { url: "http://localhost:1616", expected: `ok: http://localhost:1616: ${WORKS}` },
    { url: "http://[::1]:1616", expected: `ok: http://[::1]:1616: ${WORKS}` },
    {
      url: "http://localhost.example.com:1616",
      expected: `warning: http://localhost.example.com:1616: ${WORKS}, but without TLS. ${READABLE}`,
    },
  ])("says $expected", async ({ url, server = "", expected }) => {
    expect(await said(await plan({ url, server }), "connection", smallServer())).toBe(expected);
  });

  test("fails without an answer", async () => {
    const api = smallServer();
    api.fail("API_CONNECTION_FAILED", "health");
    await expect(said(await plan(), "connection", api)).rejects.toMatchObject({ code: "API_CONNECTION_FAILED" });
  });
});

test("the step of the login names the versions, or what is missing without them", async () => {
  const api = smallServer();
  const steps = await plan();
  expect(await said(steps, "login", api)).toBe("ok: accepted, version 25.3.110");
  api.versionMembers = new Map();
  expect(await said(steps, "login", api)).toMatch(/^warning: accepted, but the server sends no version: /);
});

test("the steps of lists ask only for what the collectors need", async () => {
  const asked = async (settings: string) => {
    const api = smallServer();
    const steps = await plan({ settings });
    for (const subject of ["devices", "sensors"]) await said(steps, subject, api);
    return api.asked;
  };
  const all = await asked("");
  expect(all).not.toEqual(await asked("collectors: { tree: { enabled: false } }"));
  expect(all).not.toEqual(await asked("metrics: { node_sensors: [device] }"));
  expect(all).not.toEqual(await asked("metrics: { dependency_info: true }"));
  expect(await asked("metrics: { node_sensors: [device] }\ncollectors: { status: { enabled: false } }")).toEqual(
    await asked("metrics: { node_sensors: [] }"),
  );
});

describe("steps of counts", () => {
  test("show the statuses that occur", async () => {
    const api = smallServer();
    const steps = await plan();
    const summary = async (...counts: ["up" | "down" | "warning", number][]) => {
      api.summary = { counts: new Map(counts), total: undefined };
      return said(steps, "status summary", api);
    };
    expect(await summary(["up", 5], ["down", 0], ["warning", 1])).toBe("ok: up 5, warning 1");
    expect(await summary(["up", 0])).toBe("ok: no sensors");
    expect(await summary()).toMatch(/^warning: the answer has no counts: /);
    api.summary = undefined;
    expect(await said(steps, "status summary", api)).toMatch(/^ok: not offered by this server: /);
  });

  test("show the objects by kind", async () => {
    const api = smallServer();
    const steps = await plan();
    expect(await said(steps, "object counts", api)).toMatch(/^ok: not offered by this server: /);
    api.counts = new Map();
    expect(await said(steps, "object counts", api)).toMatch(/^warning: the answer has no counts: /);
    api.counts = new Map([
      ["sensor", 7],
      ["map", 0],
    ]);
    expect(await said(steps, "object counts", api)).toBe("ok: sensor 7, map 0");
  });
});

describe("step of the time series", () => {
  const row = { at: 1, values: [] };

  async function read(api: MemoryServer, problems?: ReadonlyMap<"value" | "record", number>) {
    const steps = await plan();
    for (const subject of ["sensors", "channels"]) await said(steps, subject, api);
    return said(steps, "time series", api, problems);
  }

  test("reads the sensor with the newest measurement", async () => {
    const api = smallServer();
    api.channelRecords = [channel("50.0", { measuredAt: 5 }), channel("51.0", { measuredAt: 9 }), channel("50.1")];
    api.series.set("51/live", { rows: [row, row], gaps: [{ from: 1, to: 2 }], skipped: 0 } as never);
    expect(await read(api)).toBe("ok: 2 rows and 1 gaps of sensor 51 in the last four hours");
    const problems = new Map([["value", 2] as const, ["record", 1] as const]);
    expect(await read(api, problems)).toBe(
      "warning: 2 rows and 1 gaps of sensor 51 in the last four hours; 3 values or rows are invalid and dropped",
    );
  });

  test("reads the first sensor if none has channels, and is skipped without sensors", async () => {
    const steps = await plan();
    const api = smallServer();
    expect(await said(steps, "time series", api)).toBe("skipped: no sensor to test with");
    await said(steps, "sensors", api);
    api.series.set("50/live", { rows: [row], gaps: [], skipped: 0 } as never);
    expect(await said(steps, "time series", api)).toBe("ok: 1 rows and 0 gaps of sensor 50 in the last four hours");
  });
});
