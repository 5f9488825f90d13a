import { TimeSlices } from "../../../src/lib/yielding.ts";
import { ServerState } from "../../../src/model/server-state.ts";
import type { NodePoll } from "../../../src/model/tree.ts";
import type { UpdateContext } from "../../../src/model/update-context.ts";
import type { NodeRecord } from "../../../src/prtg/node-record.ts";
import { list, record } from "../../model/build-record.ts";
import type { ManualClock } from "../../support/manual-clock.ts";

/** Filled by the test. */
export function monitoredState(clock: ManualClock) {
  const state = new ServerState({ staleAfterMs: undefined });
  const context = (): UpdateContext => {
    const until = () => clock.monotonic() + 600_000;
    return {
      now: { monotonic: clock.monotonic(), server: clock.now(), isServerInDoubt: false },
      expiry: { state: until, property: until, channel: until, limit: until, version: until, detail: until },
      slices: new TimeSlices(clock),
    };
  };
  return { state, poll: (nodes: NodePoll) => state.applyTree({ nodes }, context()) };
}

const DEVICE = record("device", "40", "1", { name: "Router", status: "up", host: "10.0.0.7" });
const PROBE = record("probe", "1", "0", { name: "Local", status: "up" });
const GROUP = record("group", "2", "1", { name: "Office", status: "up" });

/** A full poll: probe, group, device, sensors. */
export function wholePoll(sensors: readonly (Partial<NodeRecord> & { readonly id: string })[]): NodePoll {
  return {
    probe: list([PROBE]),
    group: list([GROUP]),
    device: list([DEVICE]),
    sensor: list(sensors.map(({ id, ...more }) => record("sensor", id, "40", { name: `Ping ${id}`, ...more }))),
  };
}
