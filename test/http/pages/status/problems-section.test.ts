import { describe, expect, test } from "vitest";
import { healthLine } from "../../../../src/http/pages/status/exporter-health.ts";
import { outageTable } from "../../../../src/http/pages/status/outage-table.ts";
import { overviewTitle, problemsSection } from "../../../../src/http/pages/status/problems-section.ts";
import type { OutageReport } from "../../../../src/http/pages/status/report.ts";
import { downSensor, NOW, outage, statusReport, wordsOf } from "./reports.ts";

const WELL = { probe: { up: 1 }, group: {}, device: {} };
const AROUND = { counts: { down: 7 }, parents: WELL, hasServers: false, knowledge: "current" } as const;

function row(more: Partial<OutageReport> = {}, hasServers = false): string {
  const outages = { total: 1, sensors: 6, items: [outage(undefined, more)] };
  return wordsOf(outageTable({ outages, generated_at: NOW }, hasServers)).replace(/^.*Acknowledged (?=Berlin)/, "");
}

describe("the row of an outage", () => {
  test("answers what, where, how many, since when, why, and who knows", () => {
    expect(row()).toBe(
      "Berlin group Local ✕ Down 6 of 7 sensors on 2 devices, 2 in the last hour 15:18 , 3 h ago first core-sw-9/Ping 4 × Timeout (PE018) 1 of 6 Acknowledged by Ann: on it",
    );
  });

  test.each<[string, Partial<OutageReport>, string]>([
    ["a disconnected probe", { status: "disconnected", problem: "unknown" }, "⊘ Disconnected 6 of 7"],
    [
      "it as the reason",
      { kind: "probe", status: "disconnected", problem: "unknown" },
      "the probe is disconnected 4 ×",
    ],
    [
      "names with slashes",
      { first: { id: "1", name: "eth 1/0/1", path: "Local/sw-9/eth 1/0/1" } },
      "first sw-9/eth 1/0/1 4 ×",
    ],
    ["blind sensors", { problem: "unknown" }, "? Unknown 6 of 7"],
    ["all at once", { recent: 6 }, "on 2 devices 15:18"],
    ["sensors behind a dependency", { hidden: 300 }, ", 300 more paused by a dependency"],
    [
      "a cause in PRTG",
      { cause: { id: "7", name: "Ping", path: "a/gw/Ping" } },
      "depends on gw/Ping , which is down 4 × Timeout",
    ],
    ["one message for all", { message: { text: "Timeout", count: 6 } }, "Timeout 1 of 6"],
    ["no start", { since: null, first: null }, "not known 4 × Timeout"],
    ["nobody", { acknowledged: 0, acknowledgement: null }, "4 × Timeout (PE018) no"],
    ["everybody", { acknowledged: 6 }, "all Acknowledged by Ann"],
  ])("has %s", (_, more, expected) => expect(row(more)).toContain(expected));

  test("names the server on a page of many", () => expect(row({}, true)).toMatch(/^Berlin group hq \/ Local /));
});

describe("the section of problems", () => {
  const section = (more: object, options: object = {}) =>
    problemsSection({ ...statusReport(), ...more }, { ...AROUND, ...options }).toString();

  test("has outages first, then single problems, and a switch", () => {
    const shown = wordsOf(section({}, { view: "grouped" }));
    expect(shown).toMatch(
      /^7 down, 3 of them in the last hour Outage Status .*Single problems Status .*Show outages \| single problems/,
    );
    expect(section({}, { view: "grouped" })).toContain('<a href="./?view=single">single problems</a>');
  });

  test("has all problems in one list, and the way back", () => {
    const shown = section({}, { view: "single" });
    expect(wordsOf(shown)).not.toMatch(/Outage Status|Single problems/);
    expect(shown).toContain('<a href="./">outages</a>');
  });

  test("has no heading for no single problems, and no switch without outages", () => {
    const problems = { total: 6, recent: 0, items: [] };
    expect(wordsOf(section({ problems }, { view: "grouped" }))).not.toContain("Single problems");
    const outages = { total: 0, sensors: 0, items: [] };
    const shown = wordsOf(section({ outages }, { view: "grouped" }));
    expect(shown).not.toMatch(/Show|Outage|Single/);
  });

  test("counts outages beyond the list", () => {
    const outages = { total: 23, sensors: 99, items: [outage()] };
    expect(wordsOf(section({ outages }))).toContain("22 smaller outages more.");
    expect(wordsOf(section({ problems: { total: 70, recent: 0, items: [downSensor()] } }))).toContain(
      "The 1 worst single problem: by status and priority, newest first. All 70 problems",
    );
    const all = section({
      outages: { ...outages, total: 1, sensors: 69 },
      problems: { total: 70, recent: 0, items: [downSensor()] },
    });
    expect(wordsOf(all)).not.toContain("worst single");
  });
});

describe("the title of the overview", () => {
  test.each([
    [{ down: 320, unknown: 5 }, WELL, "320 down – prtg-exporter", "bad"],
    [{ unknown: 747 }, { ...WELL, probe: { disconnected: 1 } }, "1 probe disconnected – prtg-exporter", "bad"],
    [{ unknown: 747, warning: 3 }, WELL, "747 unknown – prtg-exporter", "warn"],
    [{ unusual: 3, up: 9 }, WELL, "3 in warning – prtg-exporter", "warn"],
    [{ up: 9, acknowledged: 1 }, WELL, "prtg-exporter", "good"],
  ])("of %j is short", (counts, parents, title, tone) => {
    expect(overviewTitle({ ...AROUND, counts, parents })).toEqual({ title, tone });
  });

  test("is not well while nothing is known", () => {
    expect(overviewTitle({ ...AROUND, counts: {}, knowledge: "nothing" })).toEqual({
      title: "prtg-exporter",
      tone: undefined,
    });
  });
});

describe("line about the exporter on the first screen", () => {
  const report = statusReport();
  const servers = report.servers.map((server) => ({
    ...server,
    ...{ state: "working" as const, last_poll_at: "2026-11-21T18:44:48.000Z" },
    ...(server.api && { api: { ...server.api, clock_offset_seconds: 0 } }),
  }));
  const well = { ...report, servers, configuration: { ...report.configuration, last_reload_successful: true } };
  const line = (shown: Parameters<typeof healthLine>[0]) => wordsOf(healthLine(shown));

  test("says that all is well, with the last poll", () => {
    expect(line(well)).toContain("Exporter : ✓ All well polled 12 s ago");
  });

  test("says nothing about the exporter to a user of some servers", () => {
    const { build, process, configuration, leadership, metrics, otlp, ...tenant } = well;
    expect(line(tenant)).toBe("Polled 12 s ago");
  });

  test("is absent with faults, which stand above", () => expect(healthLine(report)).toBe(false));
});
