import { describe, expect, test } from "vitest";
import { readObjectCounts, readSummary, readVersion, serverVersion } from "../../../src/prtg/decode/system-records.ts";
import { noProblems } from "../../../src/prtg/decode/values.ts";
import { STATUS_TOKENS } from "../../../src/prtg/status.ts";

describe("readSummary", () => {
  const LIVE = { calculated_status: "DOWN", total: 6, down: 1, down_acknowledged: 2, up: 3, paused_by_user: 0 };
  const COUNTS = new Map([
    ["down", 1],
    ["acknowledged", 2],
    ["up", 3],
    ["pausedbyuser", 0],
  ]);

  test.each([
    { form: "as live servers send it", answer: LIVE },
    { form: "nested", answer: { sensor_status_summary: LIVE } },
    { form: "with numerals", answer: { total: "6", down: "1", down_acknowledged: "2", up: "3", paused_by_user: "0" } },
    {
      form: "in the spelling of statuses",
      answer: { TOTAL: 6, SUMMED_INFO_DOWN: 1, SUMMED_INFO_DOWN_ACKNOWLEDGED: 2, UP: 3, PausedByUser: 0 },
    },
    {
      form: "as a list",
      answer: [
        { status: "DOWN", count: 1 },
        { status: "ACKNOWLEDGED", count: 2 },
        { status: "UP", count: 3 },
        { status: "PAUSED_BY_USER", count: 0 },
        { name: "total", count: 6 },
      ],
    },
  ])("$form", ({ answer }) => {
    const problems = noProblems();
    expect(readSummary(answer, problems)).toEqual({ total: 6, counts: COUNTS });
    expect(problems).toEqual(noProblems());
  });

  test("knows all tokens of the specification", () => {
    const answer = Object.fromEntries(STATUS_TOKENS.map((token, index) => [token, index]));
    const { counts, total } = readSummary(answer, noProblems());
    expect(counts).toEqual(new Map(STATUS_TOKENS.map((token, index) => [token, index])));
    expect(total).toBeUndefined();
  });

  test.each([
    { answer: { up: 1.5, down: 2 }, counts: 1, problems: 1 },
    { answer: { up: -1, down: 2 }, counts: 1, problems: 1 },
    { answer: { up: "many", down: "few", warning: 0 }, counts: 1, problems: 2 },
    { answer: { up: null, down: 2 }, counts: 1, problems: 0 },
    { answer: {}, counts: 0, problems: 1 },
    { answer: [], counts: 0, problems: 1 },
    { answer: null, counts: 0, problems: 1 },
    { answer: { sensors: 5, total: 5 }, counts: 0, problems: 1 },
  ])("$answer has $counts counts and $problems problems", ({ answer, counts, problems }) => {
    const counted = noProblems();
    expect(readSummary(answer, counted).counts.size).toBe(counts);
    expect(counted).toEqual({ ...noProblems(), summary: problems });
  });
});

describe("readObjectCounts", () => {
  const COUNTS = new Map([
    ["probe", 3],
    ["device", 240],
    ["sensor", 2600],
    ["channel", 12000],
    ["library", 1],
    ["usergroup", 2],
  ]);

  test.each([
    { probes: 3, devices: 240, sensors: 2600, channels: 12000, libraries: 1, user_groups: 2, total: 14846 },
    { PROBE: 3, DEVICE: "240", SENSOR: 2600, CHANNEL: 12000, LIBRARY: 1, USERGROUP: 2 },
    { counts: { probe: 3, device: 240, sensor: 2600, channel: 12000, library: 1, usergroup: 2 } },
    {
      probe_count: 3,
      number_of_devices: 240,
      numSensors: 2600,
      total_channels: 12000,
      libraryCount: 1,
      userGroups: 2,
      all: 5,
    },
    [
      { type: "probe", count: 3 },
      { type: "device", count: 240 },
      { type: "sensor", count: 2600 },
      { type: "channel", count: 12000 },
      { type: "library", count: 1 },
      { type: "usergroup", count: 2 },
    ],
  ])("%j", (answer) => {
    expect(readObjectCounts(answer)).toEqual(COUNTS);
  });

  test("keeps unknown kinds under their names", () => {
    expect(readObjectCounts({ maps: 4, Reports: 2 })).toEqual(
      new Map([
        ["maps", 4],
        ["reports", 2],
      ]),
    );
  });

  test.each([null, 5, "many", [], { probes: "many" }])("finds nothing in %j", (answer) => {
    expect(readObjectCounts(answer)).toEqual(new Map());
  });
});

test.each([
  [{ version: "25.1.102.1373" }, { version: "25.1.102.1373" }],
  [
    { prtg: { version: "25.1", edition: null }, appserver: { version: "2.0" }, build: 5 },
    { "prtg.version": "25.1", "appserver.version": "2.0" },
  ],
  ["25.1", { version: "25.1" }],
  [["25.1"], {}],
  [null, {}],
])("version information %j", (answer, members) => {
  expect(readVersion(answer)).toEqual(new Map(Object.entries(members)));
});

test.each([
  [{ version: "25.3.110.1313" }, "25.3.110.1313"],
  [{ appserver_version: "1.2.3", prtg_version: "25.3.110" }, "25.3.110"],
  [{ "appserver.version": "1.2.3", "prtg.version": " 25.3.110 " }, "25.3.110"],
  [{ appServerVersion: "1.2.3", coreVersion: "25.3.110" }, "25.3.110"],
  [{ prtg_application_server: "1.2.3", version: "25.3.110" }, "25.3.110"],
  [{ build: "9.9", version: "25.3.110" }, "25.3.110"],
  [{ edition: "prtg500", server_version: "25.3.110" }, "25.3.110"],
  [{ anything: "v25.3" }, "v25.3"],
  [{ appserver: "1.2.3" }, "1.2.3"],
  [{ prtg_edition: "PRTG 500, core 1.2", version: "25.3.110" }, "25.3.110"],
  [{ core_count: "4", core_path: "v.x", version: "25.3" }, "25.3"],
  [{ prtg_build: "25", version: "25.10" }, "25.10"],
  [{ name: "Core" }, undefined],
  [{}, undefined],
])("the version in %j is %s", (members, expected) => {
  expect(serverVersion(new Map(Object.entries(members)))).toBe(expected);
});
