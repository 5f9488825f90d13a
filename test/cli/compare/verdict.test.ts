import { describe, expect, it } from "vitest";
import { judge, type ObjectFacts } from "../../../src/cli/compare/verdict.ts";

const [T1, T2, T3] = ["2026-03-01T10:00:00.000Z", "2026-03-01T10:01:00.000Z", "2026-03-01T10:02:00.000Z"] as const;

function channel(time: string | undefined, value: string | undefined, more: Partial<ObjectFacts> = {}): ObjectFacts {
  const facts = [
    { kind: "unit", metric: "", text: "%" },
    { kind: "value", metric: "prtg_channel_value", text: value },
  ] as const;
  return { time, facts, ...more };
}

function sensor(status: string, time: string | undefined): ObjectFacts {
  return { time, facts: [{ kind: "status", metric: "", text: status }] };
}

const AGREES = { kind: "agrees", withheld: undefined };
const CHANGED = { kind: "changed" };

function differs(kind: string, served: string | undefined, own: string | undefined) {
  return { kind: "differs", differences: [expect.objectContaining({ kind, served, own })] };
}

describe("judge", () => {
  it("agrees if the page before or after has the same facts at the same time", () => {
    const [first, second] = [channel(T1, "5"), channel(T2, "6")];
    expect(judge(first, first, first)).toEqual(AGREES);
    expect(judge(first, first, second)).toEqual(AGREES);
    expect(judge(second, first, second)).toEqual(AGREES);
  });

  it("reports another value of the same measurement, also if the next one has replaced it", () => {
    expect(judge(channel(T1, "5"), channel(T1, "6"), channel(T1, "6"))).toEqual(differs("value", "6", "5"));
    expect(judge(channel(T1, "5"), channel(T1, "6"), channel(T2, "7"))).toEqual(differs("value", "6", "5"));
  });

  it("reports a value that one side lacks", () => {
    expect(judge(channel(T1, "5"), channel(T1, undefined), channel(T1, undefined))).toEqual(
      differs("value", undefined, "5"),
    );
    expect(judge(channel(undefined, undefined), channel(T1, "5"), channel(T1, "5"))).toEqual(
      differs("value", "5", undefined),
    );
  });

  it("proves nothing about a measurement between both pages", () => {
    expect(judge(channel(T2, "5"), channel(T1, "6"), channel(T3, "7"))).toEqual(CHANGED);
  });

  it("reports a time that neither page has, outside of both", () => {
    expect(judge(channel(T1, "5"), channel(T2, "5"), channel(T2, "5"))).toEqual(differs("time", T2, T1));
    expect(judge(channel(T3, "5"), channel(T1, "5"), channel(T2, "5"))).toEqual(differs("time", T2, T3));
  });

  it("reports only the unit if it differs, because the metric depends on it", () => {
    const other = { ...channel(T1, "5"), facts: [{ kind: "unit", metric: "", text: "ms" }] } as const;
    expect(judge(other, channel(T1, "5"), channel(T1, "5"))).toEqual(differs("unit", "%", "ms"));
  });

  it("does not compare the value that the page withholds", () => {
    const paused = channel(T1, undefined, { withheld: "paused" });
    expect(judge(channel(T1, "5"), paused, paused)).toEqual({ kind: "agrees", withheld: "paused" });
  });

  it("compares statuses, with and without their time", () => {
    expect(judge(sensor("up", T1), sensor("down", T1), sensor("down", T1))).toEqual(differs("status", "down", "up"));
    expect(judge(sensor("up", undefined), sensor("down", T1), sensor("up", T2))).toEqual(AGREES);
    expect(judge(sensor("warning", undefined), sensor("down", T1), sensor("up", T2))).toEqual(CHANGED);
    expect(judge(sensor("up", T1), sensor("up", undefined), sensor("up", undefined))).toEqual(AGREES);
  });

  it("reports an object that only the page has", () => {
    expect(judge(undefined, sensor("up", T1), sensor("up", T1))).toEqual(differs("object", "served", "not found"));
    expect(judge(undefined, sensor("up", T1), undefined)).toEqual(CHANGED);
    expect(judge(sensor("up", T1), sensor("up", T1), undefined)).toEqual(CHANGED);
    expect(judge(sensor("up", T1), undefined, sensor("up", T1))).toEqual(CHANGED);
    expect(judge(undefined, undefined, sensor("up", T1))).toEqual(CHANGED);
  });
});
