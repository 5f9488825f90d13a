import { describe, expect, test } from "vitest";
import { planChannels } from "../../src/measurements/plan.ts";
import { MINUTE, measurementSetup, recordedSensor } from "./support/measurement-setup.ts";

describe("channelsToAsk", () => {
  test.each([
    { why: "no rules", known: undefined, asked: undefined },
    { why: "no channels", known: { kept: [], dropped: [] }, asked: undefined },
    { why: "nothing dropped", known: { kept: ["0", "1"], dropped: [] }, asked: undefined },
    { why: "less than half dropped", known: { kept: ["0", "1"], dropped: ["2"] }, asked: undefined },
    { why: "half dropped", known: { kept: ["0", "-4"], dropped: ["1", "2"] }, asked: ["0", "-4"] },
    { why: "all dropped", known: { kept: [], dropped: ["-4", "1", "2"] }, asked: ["1"] },
    { why: "the one measured channel dropped", known: { kept: [], dropped: ["1"] }, asked: undefined },
    { why: "Downtime alone kept", known: { kept: ["-4"], dropped: ["0", "1", "2"] }, asked: ["-4", "0"] },
    { why: "Downtime alone kept of three", known: { kept: ["-4"], dropped: ["0", "1"] }, asked: undefined },
    { why: "nothing measured", known: { kept: ["-4"], dropped: ["-1", "-2"] }, asked: undefined },
  ])("with $why: $asked", ({ known, asked }) => {
    expect(planChannels(known)).toEqual(asked);
  });
});

describe("channel that becomes necessary", () => {
  /** Channel 1 is dropped until a reload in mid-read. */
  async function reloadWhileReading(all: readonly string[]) {
    let wanted = ["0"];
    const subject = measurementSetup([recordedSensor("7", 10)], {
      channelsOf: () => ({ kept: wanted, dropped: all.filter((id) => !wanted.includes(id)) }),
    });
    const process = await subject.start();
    await subject.run(process, 5);
    const { server, receiver, clock } = subject;
    const before = receiver.received.length;
    server.onAnswer = () => {
      wanted = ["0", "1"];
      server.onAnswer = undefined;
    };
    const at = clock.now();
    await subject.run(process, 5);
    await subject.stop(process);
    return { before, rows: receiver.received, at };
  }

  test.each([
    { where: "some are still unnecessary", all: ["0", "1", "2", "3"] },
    { where: "too few are unnecessary for a shorter request", all: ["0", "1", "-4"] },
  ])("is in all later rows, and no row repeats, where $where", async ({ all }) => {
    const { before, rows, at } = await reloadWhileReading(all);
    const ofSeries = rows.slice(0, before).filter(({ values }) => values.length === 1);
    expect(ofSeries.length).toBeGreaterThan(10);
    const later = rows.slice(before);
    expect(later.filter(({ values }) => values.length !== 2)).toEqual([]);
    expect(later.length).toBeGreaterThan(10);
    expect(new Set(rows.map((row) => row.at)).size).toBe(rows.length);
    expect(Math.max(...rows.map((row) => row.at))).toBeGreaterThan(at + 3 * MINUTE);
  });
});
