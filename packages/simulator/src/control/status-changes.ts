import { z } from "zod";
import { durationSchema } from "../scenario/schema.ts";
import type { SimNode, SimStatus, World } from "../world/model.ts";
import { ControlError, type ControlOperation, isoTime, ok } from "./operation.ts";

/** A status that is another one than at the look before. */
export interface StatusChange {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly from: SimStatus;
  readonly to: SimStatus;
  /** When the status began, and when it was looked at; milliseconds since the epoch. */
  readonly since: number;
  readonly at: number;
  readonly message: string;
}

const MAX_LOOKS = 100_000;

/** What who looks at the whole world at these times, in their order, sees to change; of the objects that there are now. */
export function statusChanges(world: World, times: Iterable<number>): readonly StatusChange[] {
  const parents: readonly SimNode[] = [...world.list("probe"), ...world.list("group"), ...world.list("device")];
  // The root has no status of its own.
  const nodes = [...parents, ...world.list("sensor")].filter(({ parent }) => parent !== undefined);
  const known = new Map<string, SimStatus>();
  const changes: StatusChange[] = [];
  for (const at of times) {
    for (const node of nodes) {
      const { status, since, message } = world.state(node, at);
      const from = known.get(node.id);
      known.set(node.id, status);
      if (from === undefined || from === status) continue;
      changes.push({ id: node.id, type: node.kind, name: node.name, from, to: status, since, at, message });
    }
  }
  return changes;
}

const querySchema = z.object({
  from: z.iso.datetime({ offset: true }),
  until: z.iso.datetime({ offset: true }).optional(),
  step: durationSchema,
});

export const STATUS_CHANGES: ControlOperation = {
  method: "GET",
  path: "/status-changes",
  description: "lists status changes `from` a time `until` another (default: now), sampled every `step`",
  handle({ world, query, at: now }) {
    const { data, error } = querySchema.safeParse(Object.fromEntries(query));
    if (data === undefined) throw new ControlError(400, error.issues.map(({ message }) => message).join("; "));
    const from = Date.parse(data.from);
    const until = data.until === undefined ? now : Date.parse(data.until);
    if (!(data.step > 0) || (until - from) / data.step > MAX_LOOKS) {
      throw new ControlError(400, `more than ${MAX_LOOKS} samples`);
    }
    const changes = statusChanges(world, looks(from, until, data.step));
    return ok({
      changes: changes.map((change) => ({ ...change, since: isoTime(change.since), at: isoTime(change.at) })),
    });
  },
};

function* looks(from: number, until: number, step: number): Generator<number> {
  for (let at = from; at <= until; at += step) yield at;
}
