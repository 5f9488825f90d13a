import { describe, expect, it } from "vitest";
import { changesPage, lastHourLine, lastHourSection } from "../../../../src/http/pages/status/changes-page.ts";
import { type ChangeReport, ChangesReport } from "../../../../src/http/pages/status/changes-report.ts";
import { CHANGES } from "../../../../src/http/pages/status/status-order.ts";
import { CHANGE_KINDS } from "../../../../src/model/change-log.ts";
import { changesReport } from "./reports.ts";

const texts = (html: unknown) =>
  String(html)
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
const page = (...arguments_: Parameters<typeof changesPage>) => String(changesPage(...arguments_).content);

describe("page of changes", () => {
  it("shows many changes as one line below their object", () => {
    const shown = page(changesReport(), undefined);
    expect(texts(shown)).toContain("18:44 ✕ Down 310 sensors below Singapore Office hq / Probe");
    expect(shown).toContain('href="./tree?server=hq&amp;id=20"');
    expect(texts(page(changesReport(), "hq"))).toContain("What changed on hq");
    expect(texts(page(changesReport(), "hq"))).not.toContain("hq / Probe");
  });

  it("shows the begin and the end of an outage, and changes during it", () => {
    const text = (more: Partial<ChangeReport>, part: "begin" | "during" | "end") => {
      const outage = { part, problem: "down" as const, sensors: 368 };
      return texts(page(changesReport(undefined, [{ ...more, outage }]), "hq"));
    };
    expect(text({}, "begin")).toContain("Down Outage: 310 of 368 sensors below Singapore Office");
    expect(text({ count: 5 }, "during")).toContain("Down 5 sensors below Singapore Office");
    const recovered = { change: "recovered" } as const;
    expect(text({ ...recovered, count: 1 }, "end")).toContain("Recovered Outage over: 1 sensor below Singapore Office");
    expect(text({ ...recovered, count: 0 }, "end")).toContain("Recovered Outage over: Singapore Office");
  });

  it("shows a single object with its earlier name, without a link if it is gone", () => {
    const object = { id: "9", kind: "sensor" as const, name: "<b>core", path: "Probe/<b>core", exists: false };
    const shown = page(changesReport(undefined, [{ object, count: 1, change: "renamed", before: "old" }]), "hq");
    expect(texts(shown)).toContain("≡ Renamed sensor &lt;b&gt;core was old");
    expect(shown).not.toContain("id=9");
  });

  it("links to its other pages, of the same servers", () => {
    const between = { ...changesReport(), total: 300, page: { number: 2, pages: 3, from: 100 } };
    const links = (server?: string) =>
      [...page(between, server).matchAll(/href="(\.\/changes[^"]*)"/g)].map(([, to]) => to);
    expect(links()).toEqual(["./changes", "./changes?page=3"]);
    expect(links("hq")).toEqual(["./changes?server=hq", "./changes?server=hq&amp;page=3"]);
  });

  it("says since when it knows changes", () => {
    expect(texts(page(changesReport(undefined, []), undefined))).toContain("No changes since 18:44 UTC .");
    const unknown = { ...changesReport(undefined, []), since: null };
    expect(texts(page(unknown, undefined))).toContain("A server has not been polled yet.");
  });

  it("knows the changes of the model", () => {
    expect(CHANGES).toEqual(CHANGE_KINDS);
    expect(ChangesReport.parse(changesReport())).toEqual(changesReport());
  });
});

describe("last hour on the overview", () => {
  it("links to all changes and says how many lines it leaves out", () => {
    expect(texts(lastHourSection({ ...changesReport(), total: 42 }, true))).toContain(
      "The newest 1 of 42 lines. All changes",
    );
    expect(String(lastHourSection(changesReport(), true))).toContain('href="./changes"');
  });

  it("says that nothing changed, and since when if that is less than an hour", () => {
    const quiet = changesReport(undefined, []);
    expect(texts(lastHourSection(quiet, true))).toContain("No changes since 18:44 UTC .");
    const old = { ...quiet, since: "2026-11-21T15:00:00.000Z" };
    expect(texts(lastHourSection(old, true))).toContain("No changes in the last hour.");
  });

  it("has a line for the first screen, with counts of each change", () => {
    expect(texts(lastHourLine(changesReport()))).toContain("Last hour : 310 down");
    const changed = [
      { change: "down", count: 1_310 },
      { change: "recovered", count: 36 },
    ] as const;
    expect(texts(lastHourLine({ ...changesReport(), changed: [...changed] }))).toContain("1,310 down, 36 recovered");
    expect(texts(lastHourLine(changesReport(undefined, [])))).toContain("Last hour : No changes since 18:44 UTC .");
  });
});
