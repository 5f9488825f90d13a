import { describe, expect, it } from "vitest";
import { levelBar, limitsOf } from "../../../../src/http/pages/status/limits.ts";
import type { ChannelReport } from "../../../../src/http/pages/status/report.ts";
import { sensorReport } from "./reports.ts";

function channel(value: number | null, unit: string, limits: Readonly<Record<string, number>> = {}): ChannelReport {
  const [first] = sensorReport().sensor?.channels ?? [];
  if (first === undefined) throw new Error("no channel");
  return { ...first, value, unit, limits };
}

function bar(...of: Parameters<typeof channel>): string {
  return String(levelBar(channel(...of)));
}

describe("limitsOf", () => {
  it("orders limits from warning to error, and marks those that the value exceeds", () => {
    const limits = limitsOf({ limits: { min_error: 5, max_error: 90, max_warning: 80, odd: 3 }, value: 85 });
    expect(limits.map(({ text, at, isExceeded }) => [text, at, isExceeded])).toEqual([
      ["warning above", 80, true],
      ["error above", 90, false],
      ["error below", 5, false],
      ["odd", 3, false],
    ]);
  });

  it("exceeds no limit at the limit, or without a value", () => {
    expect(limitsOf({ limits: { max_error: 90 }, value: 90 })[0]?.isExceeded).toBe(false);
    expect(limitsOf({ limits: { min_error: 90 }, value: null })[0]?.isExceeded).toBe(false);
  });

  it("knows no limit by the name of an object's member", () => {
    expect(limitsOf({ limits: { constructor: 1 }, value: 2 })).toEqual([
      { text: "constructor", at: 1, isExceeded: false },
    ]);
  });
});

describe("levelBar", () => {
  it("shows a share of 100 %, and a value between 0 and its limits", () => {
    expect(bar(25, "%")).toContain('<rect class="value still" y="3" width="25" height="4"/>');
    expect(bar(50, "msec", { max_error: 100 })).toContain('<rect class="value good" y="3" width="45.5" height="4"/>');
  });

  it("shows zones beyond limits", () => {
    const zones = bar(50, "%", { max_warning: 80, min_error: 5 });
    expect(zones).toContain(
      '<g class="warn"><rect class="beyond" x="80" width="20" height="10"/><path class="limit-at" d="M80,0V10"/></g>',
    );
    expect(zones).toContain('<g class="bad"><rect class="beyond" x="0" width="5" height="10"/>');
  });

  it.each([
    [85, "warn"],
    [95, "bad"],
    [79, "good"],
  ])("gives %d the tone of the worst limit that it exceeds", (value, tone) => {
    expect(bar(value, "%", { max_error: 90, max_warning: 80 })).toContain(`class="value ${tone}"`);
  });

  it("needs a value, and limits or a share", () => {
    expect(levelBar(channel(5, "msec"))).toBeUndefined();
    expect(levelBar(channel(null, "%"))).toBeUndefined();
  });
});
