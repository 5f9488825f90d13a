import { describe, expect, it } from "vitest";
import {
  exporterDetails,
  faultsOf,
  faultsSection,
  healthLine,
  knowledgeOf,
  knowledgeOfAll,
  serverFault,
} from "../../../../src/http/pages/status/exporter-health.ts";
import { html } from "../../../../src/http/pages/status/html.ts";
import type { StatusReport } from "../../../../src/http/pages/status/report.ts";
import type { ServerReport } from "../../../../src/http/pages/status/server-report.ts";
import { NOW, serverListReport, statusReport, wordsOf } from "./reports.ts";

/** One server without a fault. */
function wellReport(more: Partial<ServerReport> = {}): StatusReport {
  const report = statusReport();
  const [server] = report.servers;
  if (server?.api === undefined) throw new Error("no server to begin with");
  const api = { ...server.api, clock_offset_seconds: 60 };
  const well: ServerReport = { ...server, state: "working", failed_collectors: [], reason: null, api, ...more };
  return {
    ...report,
    configuration: { ...report.configuration, last_reload_successful: true },
    totals: { ...report.totals, measurements: pendingFor(600) },
    servers: [well],
  };
}

function pendingFor(seconds: number): StatusReport["totals"]["measurements"] {
  const { measurements } = statusReport().totals;
  return measurements && { ...measurements, oldest_pending_seconds: seconds };
}

function clockOff(seconds: number): Partial<ServerReport> {
  const api = statusReport().servers[0]?.api;
  return api === undefined ? {} : { api: { ...api, clock_offset_seconds: seconds } };
}

function many(servers_by_state: StatusReport["totals"]["servers_by_state"]): StatusReport {
  const well = wellReport();
  return { ...well, totals: { ...well.totals, servers: 120, servers_by_state } };
}

describe("faults of the exporter", () => {
  const well = wellReport();

  it.each<[string, StatusReport, string[]]>([
    ["no fault", well, []],
    ["a server whose clock is a minute off", wellReport(clockOff(-60)), []],
    ["a clock that is ahead", wellReport(clockOff(61)), ["! Clock The clock of the server is 61 s ahead."]],
    ["a clock that is behind", wellReport(clockOff(-120)), ["! Clock The clock of the server is 2 min behind."]],
    ["a server without facts about its API", wellReport({ api: undefined }), []],
    [
      "a server that fails",
      wellReport({ state: "failing", failed_collectors: ["tree", "channels"], reason: "no answer." }),
      ["✕ Polls fail hq : tree, channels failed: no answer . Its sensors are shown as of the last poll, 12 s ago ."],
    ],
    [
      "a configuration that is not loaded",
      { ...well, configuration: { ...well.configuration, last_reload_successful: false } },
      ["✕ Configuration The last reload failed. The previous configuration stays in use."],
    ],
    [
      "a busy exporter",
      { ...well, process: { ...well.process, extra_held_back: true } },
      ["! Load Time series are delayed, because the exporter is busy."],
    ],
    [
      "measurements that a receiver does not take",
      { ...well, totals: { ...well.totals, measurements: pendingFor(601) } },
      ["! OTLP The oldest undelivered measurement is 10 min old."],
    ],
    ["no push of measurements", { ...well, totals: { ...well.totals, measurements: null } }, []],
    ["many servers that work", many({ working: 120 }), []],
    [
      "some of many servers",
      many({ working: 117, unreachable: 1, impaired: 2 }),
      ["Servers: ⊘ 1 Not reachable ! 2 Reachable, some polls fail List of servers"],
    ],
  ])("with %s", (_what, report, expected) => {
    expect(faultsOf(report).map(wordsOf)).toEqual(expected);
  });

  it("lead to the details", () => {
    const section = String(faultsSection(wellReport(clockOff(120))));
    expect(section).toMatch(
      /^<section class="panel faults" id="faults" aria-labelledby="faults-title" data-live><h2 id="faults-title">The exporter needs attention<\/h2>\n<ul class="plain"><li>/,
    );
    expect(section).toContain(
      '</li></ul>\n<p class="note"><a href="#exporter-details">Details of the exporter</a></p>',
    );
    expect(faultsSection(wellReport())).toBe(false);
  });
});

describe("line about the health", () => {
  it("names the last poll of a single server", () => {
    expect(wordsOf(healthLine(wellReport()))).toBe("Exporter : ✓ All well polled 12 s ago");
    expect(wordsOf(healthLine(many({ working: 120 })))).toBe("Exporter : ✓ All well");
    expect(String(healthLine(wellReport()))).toContain('<a href="#exporter-details">Exporter</a>');
  });

  it("has no link for a user who sees only the server", () => {
    const { build, process, configuration, metrics, otlp, leadership, ...restricted } = wellReport();
    expect(wordsOf(healthLine(restricted))).toBe("Polled 12 s ago");
    expect(healthLine({ ...restricted, totals: { ...restricted.totals, servers: 2 } })).toBe(false);
  });

  it("is absent with a fault", () => {
    expect(healthLine(wellReport(clockOff(120)))).toBe(false);
  });
});

describe("details of the exporter", () => {
  it.each<[StatusReport, string]>([
    [wellReport(), "✓ All well 2 collectors, 31,764 series, OTLP: 10 points delivered"],
    [{ ...wellReport(clockOff(120)), otlp: null }, "✕ 1 fault 2 collectors, 31,764 series, no OTLP push"],
    [many({ working: 120 }), "✓ All well 120 servers, 31,764 series, OTLP: 10 points delivered"],
    [wellReport({ collectors: undefined }), "✓ All well 1 server, 31,764 series, OTLP: 10 points delivered"],
  ])("have one line (%#)", (report, expected) => {
    expect(wordsOf(exporterDetails(report, html``))).toBe(`Exporter ${expected}`);
  });

  it("are open only with a fault", () => {
    const start = (report: StatusReport) => String(exporterDetails(report, html`<p>x</p>`)).split("\n")[0];
    expect(start(wellReport())).toBe('<details class="panel exporter" id="exporter-details" data-key="exporter">');
    expect(start(wellReport(clockOff(120)))).toBe(
      '<details class="panel exporter" id="exporter-details" data-key="exporter" open>',
    );
  });
});

describe("knowledge of servers", () => {
  it.each([
    ["unreachable", null, "nothing"],
    ["failing", null, "nothing"],
    ["unreachable", NOW, "outdated"],
    ["failing", NOW, "outdated"],
    ["starting", null, "starting"],
    ["impaired", NOW, "current"],
    ["working", null, "current"],
  ] as const)("of a server that is %s and was polled at %s is %s", (state, last_poll_at, expected) => {
    expect(knowledgeOf({ state, last_poll_at })).toBe(expected);
  });

  it.each([
    [{ working: 2 }, "current"],
    [{ working: 2, impaired: 1 }, "current"],
    [{ unreachable: 1 }, "outdated"],
    [{ failing: 1 }, "outdated"],
    [{ failing: 1, starting: 1 }, "starting"],
  ])("of servers %j is %s", (servers_by_state, expected) => {
    expect(knowledgeOfAll({ ...serverListReport().totals, servers_by_state })).toBe(expected);
  });

  it("leaves out a missing reason", () => {
    const [server] = wellReport({ state: "impaired", failed_collectors: ["tree"] }).servers;
    expect(server && wordsOf(serverFault(server, NOW))).toBe("hq");
  });
});
