import { describe, expect, it } from "vitest";
import { downTimeOf } from "../../../../src/http/pages/status/down-time.ts";

const [UP, LATER] = ["2026-11-21T18:20:00.000Z", "2026-11-21T18:33:00.000Z"];

describe("time that a sensor is down", () => {
  it("starts with the status, unless that is acknowledged", () => {
    expect(downTimeOf({ status: "down", status_since: LATER, acknowledgement: null })).toEqual({
      ...{ since: LATER, acknowledgedAt: null, isAcknowledged: false },
    });
    const acknowledgement = { down_since: UP, acknowledged_at: LATER, message_before: null };
    expect(downTimeOf({ status: "acknowledged", status_since: LATER, acknowledgement })).toEqual({
      ...{ since: UP, acknowledgedAt: LATER, isAcknowledged: true },
    });
  });

  it("is not known without a start", () => {
    const acknowledgement = { down_since: null, acknowledged_at: null, message_before: null };
    expect(downTimeOf({ status: "acknowledged", status_since: null, acknowledgement })).toBeUndefined();
    expect(downTimeOf({ status: "down", status_since: null, acknowledgement: null })).toBeUndefined();
  });

  it.each(["up", "warning", "unknown", "pausedbyuser", "a new one", null])("is none with status %s", (status) => {
    expect(downTimeOf({ status, status_since: LATER, acknowledgement: null })).toBeUndefined();
  });
});
