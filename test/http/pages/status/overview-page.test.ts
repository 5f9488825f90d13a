import { describe, expect, it } from "vitest";
import { overviewPage } from "../../../../src/http/pages/status/overview-page.ts";
import type { StatusReport } from "../../../../src/http/pages/status/report.ts";
import { changesReport, serverListReport, wordsOf } from "./reports.ts";

const options = { telemetryPath: "/prtg/metrics", changes: changesReport() };

function pageOf(more: Partial<StatusReport> = {}) {
  const report = { ...serverListReport(), ...more };
  return overviewPage(report, { find: "", page: 1, view: "grouped" }, () => [], options);
}

/** Words of a part, given its id. */
function part(id: string, more: Partial<StatusReport> = {}): string | undefined {
  const found = new RegExp(`<section id="${id}".*?</section>`, "s").exec(String(pageOf(more).content))?.[0];
  return found && wordsOf(found);
}

const { leadership, configuration, process, build, metrics, otlp } = serverListReport();
const leader = (more: Partial<NonNullable<StatusReport["leadership"]>>) => leadership && { ...leadership, ...more };

describe("details of the exporter on the overview", () => {
  it("describe the process", () => {
    expect(part("exporter")).toBe(
      "Process Version 1.2.3 abcdef0 Node.js 24.0.0 Started 12 s ago 2026-11-21 18:44:48 UTC Memory 123 MB CPU 23 % " +
        "Configuration ✕ reload failed: running the configuration of 2026-11-21 18:44:48 UTC Shard 0/3 " +
        "Leader ✓ this replica Lease monitoring/prtg-exporter",
    );
  });

  it.each<[Partial<StatusReport>, string]>([
    [{ leadership: null }, "Shard 0/3"],
    [{ configuration: { ...configuration, shard: null }, leadership: null }, "18:44:48 UTC"],
    [
      { configuration: { ...configuration, last_reload_successful: true, shard: null }, leadership: null },
      "Configuration ✓ loaded since 12 s ago",
    ],
  ])("omit what is not in use (%#)", (more, end) => {
    expect(part("exporter", more)?.endsWith(end)).toBe(true);
  });

  it("omit the revision of an unknown build, and show the load", () => {
    const text = part("exporter", {
      build: { ...build, revision: "" },
      process: { ...process, extra_held_back: true },
    });
    expect(text).toContain("Version 1.2.3 Node.js 24.0.0");
    expect(text).toContain("CPU 23 % ✕ time series are delayed Configuration");
  });

  it.each<[Partial<StatusReport>, string]>([
    [
      {},
      "Metrics 31,764 series at /prtg/metrics Format Size Render time text, gzip 588 kB 110 ms Scrapes 17 of text/ plain Families 1 Family Series prtg_channel_value 30,000",
    ],
    [
      { metrics: { ...metrics, pages: [], scrapes: {}, families: [] } },
      "Metrics 31,764 series at /prtg/metrics Format Size Render time Not rendered yet. Scrapes none yet Families 0 Family Series",
    ],
  ])("describe the metrics (%#)", (more, expected) => {
    expect(part("metrics", more)).toBe(expected);
  });

  it("link to the metrics page, and align numbers", () => {
    const page = String(pageOf().content);
    expect(page).toContain('<a href="./prtg/metrics">/prtg/metrics</a>');
    for (const number of ["588 kB", "110 ms", "30,000"]) {
      expect(page).toMatch(new RegExp(`<td class="n" data-label="[^"]+">${number}</td>`));
    }
  });

  it("leave out the time of a page that was not rendered", () => {
    const pages = metrics.pages.map((page) => ({ ...page, render_seconds: null }));
    expect(part("metrics", { metrics: { ...metrics, pages } })).toContain("text, gzip 588 kB Scrapes");
  });

  it("describe the push", () => {
    expect(part("otlp")).toContain(
      "OTLP Receiver http://collector:4318/v1/metrics http/protobuf Current state 10 points delivered, ! 1 rejected Requests 2 failed, 0 rejected Measurements Delivered 100",
    );
    const { totals } = serverListReport();
    expect(
      part("otlp", { otlp: otlp && { ...otlp, refused_requests: 3 }, totals: { ...totals, measurements: null } }),
    ).toMatch(/Requests 2 failed, 3 rejected$/);
    expect(part("otlp", { otlp: null })).toBe("OTLP No receiver is configured.");
  });
});

describe("overview of a replica on standby", () => {
  const standby = (name: string | null) =>
    String(pageOf({ leadership: leader({ role: "standby", leader: name }) }).content);

  it.each([
    ["pod-b_2", "Leader: pod-b_2 (Lease monitoring/prtg-exporter)."],
    [null, "Leader: not known yet (Lease monitoring/prtg-exporter)."],
  ])("names the leader %s instead of servers and problems", (name, expected) => {
    const page = standby(name);
    expect(page.replaceAll(/<[^>]+>/g, "")).toContain(expected);
    expect(page).toContain('<h1 class="hidden">Status of the exporter</h1>');
    expect(page).toContain('<h2 id="standby-title">This replica is on standby</h2>');
    expect(page).toContain('<section class="panel" id="standby" aria-labelledby="standby-title" data-live>');
    expect(page).not.toMatch(/servers-find|problems-title/);
  });

  it("names the leader among the details", () => {
    const role = "standby";
    expect(part("exporter", { leadership: leader({ role, leader: "pod-b_2" }) })).toMatch(
      / Leader pod-b_2 Lease monitoring\/prtg-exporter$/,
    );
    expect(part("exporter", { leadership: leader({ role, leader: null }) })).toMatch(
      / Leader none yet Lease monitoring\/prtg-exporter$/,
    );
  });

  it("has no section about a standby on the leader", () => {
    expect(String(pageOf().content)).not.toContain("standby");
  });
});

it("the overview has the time of the report, and links for developers", () => {
  expect(pageOf()).toMatchObject({ generatedAt: serverListReport().generated_at, hasDeveloperLinks: true });
});
