import { describe, expect, test } from "vitest";
import {
  isSameExceptConnection,
  isSameSelection,
  planMeasurements,
  planPipeline,
} from "../../src/app/pipeline-plan.ts";
import { load } from "../config/support.ts";

interface Given {
  readonly servers?: readonly string[];
  readonly settings?: string;
}

const URL = "https://prtg.example.com:1616";
const server = (name: string, more = "", url = URL) =>
  `{ name: ${name}, url: "${url}", auth: { api_key_file: /run/secrets/key }${more} }`;

async function configOf({ servers = [server("hq")], settings = "" }: Given = {}) {
  const { config } = await load(`servers: [${servers.join(", ")}]\n${settings}`);
  const [first] = config.servers;
  if (first === undefined) throw new Error("no server");
  return { config, first };
}

async function plan(given?: Given) {
  const { config, first } = await configOf(given);
  return planPipeline(first, config, undefined);
}

describe("budget of time series", () => {
  const limits = (rate: number) => `, limits: { requests_per_second: ${rate} }`;
  const timeseries = (schedule: string) => `collectors: { timeseries: { schedule: ${schedule} } }`;

  test.each<{ what: string; given: Given; requests: number; periodMs: number }>([
    {
      what: "half of the requests of a cycle",
      given: { servers: [server("hq", limits(10))], settings: timeseries("30s") },
      ...{ requests: 150, periodMs: 30_000 },
    },
    {
      what: "a minute's for a cron expression",
      given: { servers: [server("hq", limits(10))], settings: timeseries('"0 */5 * * * *"') },
      ...{ requests: 300, periodMs: 60_000 },
    },
    {
      what: "whole requests",
      given: { servers: [server("hq", limits(0.1))], settings: timeseries("30s") },
      ...{ requests: 1, periodMs: 30_000 },
    },
    {
      what: "a share if entries are the same server, by the lowest rate",
      given: {
        servers: [server("hq", limits(10)), server("part", limits(4))],
        settings: timeseries("30s"),
      },
      ...{ requests: 30, periodMs: 30_000 },
    },
    {
      what: "all requests beside another server",
      given: {
        servers: [server("hq", limits(10)), server("branch", limits(4), "https://branch.example.com:1616")],
        settings: timeseries("30s"),
      },
      ...{ requests: 150, periodMs: 30_000 },
    },
  ])("is $what", async ({ given, requests, periodMs }) => {
    const { config, first } = await configOf(given);
    expect(planMeasurements(first, config, false)?.limits).toEqual({ requests, periodMs });
  });

  test.each([
    { settings: "collectors: { timeseries: { mode: off } }", pushes: false, expected: undefined },
    { settings: "collectors: { timeseries: { mode: off } }", pushes: true, expected: "off" },
    { settings: "collectors: { timeseries: { enabled: false } }", pushes: false, expected: undefined },
    { settings: "collectors: { timeseries: { enabled: false } }", pushes: true, expected: "off" },
  ])("has the mode $expected with $settings, pushing: $pushes", async ({ settings, pushes, expected }) => {
    const { config, first } = await configOf({ settings });
    expect(planMeasurements(first, config, pushes)?.mode).toBe(expected);
  });
});

test("only enabled collectors have a schedule", async () => {
  const settings = "collectors: { tree: { enabled: false }, status: { schedule: 20s } }";
  const { schedules } = await plan({ settings });
  expect(schedules.tree).toBeUndefined();
  expect(schedules.status).toEqual({ kind: "interval", everyMs: 20_000 });
  expect(Object.keys((await plan()).schedules)).toContain("tree");
});

describe("a change of the configuration", () => {
  test.each<{ what: string; given: Given; same: boolean; selection: boolean }>([
    { what: "nothing", given: {}, same: true, selection: true },
    {
      what: "the connection",
      given: { servers: [server("hq", ", tls: { insecure_skip_verify: true }")] },
      ...{ same: true, selection: true },
    },
    {
      what: "the selection",
      given: { servers: [server("hq", ", select: { include: [{ tag: acme }] }")] },
      ...{ same: false, selection: false },
    },
    {
      what: "a schedule",
      given: { settings: "collectors: { status: { schedule: 20s } }" },
      ...{ same: false, selection: true },
    },
    {
      what: "counts of sensors",
      given: { settings: "metrics: { node_sensors: [] }" },
      ...{ same: false, selection: true },
    },
    {
      what: "dependencies",
      given: { settings: "metrics: { dependency_info: true }" },
      ...{ same: false, selection: true },
    },
    {
      what: "time series",
      given: { settings: "collectors: { timeseries: { mode: off } }" },
      ...{ same: false, selection: true },
    },
  ])("of $what keeps the pipeline: $same, the selection: $selection", async ({ given, same, selection }) => {
    const [before, after] = [await plan(), await plan(given)];
    expect(isSameExceptConnection(before, after)).toBe(same);
    expect(isSameSelection(before, after)).toBe(selection);
  });
});
