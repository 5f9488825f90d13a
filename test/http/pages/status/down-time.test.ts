import { describe, expect, it } from "vitest";
import { downTimeOf } from "../../../../src/http/pages/status/down-time.ts";

const [UP, LATER] = ["2026-11-21T15:18:00.000Z", "2026-11-21T15:40:00.000Z"];
const nothing = { last_up_at: null, interval_seconds: null };

describe("time that a sensor is down", () => {
  it("starts with the status, unless that is acknowledged", () => {
    expect(
      downTimeOf(
        { status: "down", status_since: LATER, acknowledgement: null },
        { last_up_at: UP, interval_seconds: 60 },
      ),
    ).toEqual({
      ...{ since: LATER, acknowledgedAt: null, isAcknowledged: false },
    });
  });

  it("starts with the last success, if the acknowledgement renewed the status", () => {
    const acknowledged = { status: "acknowledged", status_since: LATER, acknowledgement: null };
    expect(downTimeOf(acknowledged, { last_up_at: UP, interval_seconds: 60 })).toEqual({
      ...{ since: UP, acknowledgedAt: LATER, isAcknowledged: true },
    });
  });

  it("starts with the status, if the acknowledgement did not renew it", () => {
    const acknowledged = { status: "acknowledged", status_since: LATER, acknowledgement: null };
    expect(downTimeOf(acknowledged, { last_up_at: UP, interval_seconds: 1_200 })).toEqual({
      ...{ since: LATER, acknowledgedAt: null, isAcknowledged: true },
    });
  });

  it("is that of the report, which saw the sensor down", () => {
    const acknowledgement = { down_since: UP, acknowledged_at: LATER, message_before: null };
    const node = { status: "acknowledged", status_since: LATER, acknowledgement };
    expect(downTimeOf(node, { last_up_at: null, interval_seconds: 1_200 })).toEqual({
      ...{ since: UP, acknowledgedAt: LATER, isAcknowledged: true },
    });
  });

  it("takes the only known time", () => {
    const since = (status_since: string | null, last_up_at: string | null) =>
      downTimeOf({ status: "acknowledged", status_since, acknowledgement: null }, { ...nothing, last_up_at })?.since;
    expect([since(null, UP), since(LATER, null), since(null, null)]).toEqual([UP, LATER, undefined]);
  });

  it.each(["up", "warning", "unknown", "pausedbyuser", "a new one", null])("is none with status %s", (status) => {
    expect(downTimeOf({ status, status_since: LATER, acknowledgement: null }, nothing)).toBeUndefined();
  });
});
