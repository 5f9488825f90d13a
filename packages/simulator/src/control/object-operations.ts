import { z } from "zod";
import { durationSchema, SETTABLE_STATUSES } from "../scenario/schema.ts";
import { pathOf } from "../scenario/selection.ts";
import type { SimNode } from "../world/model.ts";
import { isSensor } from "../world/objects.ts";
import {
  type ControlCall,
  ControlError,
  type ControlOperation,
  type ControlReply,
  created,
  isoTime,
  ok,
  readBody,
} from "./operation.ts";

const text = z.string().min(1);
const none = z.strictObject({});
const remarkSchema = z.strictObject({ message: z.string().optional(), for: durationSchema.optional() });
const setSchema = z.strictObject({
  channel: z.union([text, z.number()]),
  to: z.number(),
  over: durationSchema.optional(),
  for: durationSchema.optional(),
});
const addSchema = z
  .strictObject({ sensor: text.optional(), device: text.optional(), kind: text.optional() })
  .refine(
    ({ sensor, device }) => (sensor === undefined) !== (device === undefined),
    "expected sensor or device, and only one of them",
  );

export const OBJECT_OPERATIONS: readonly ControlOperation[] = [
  { method: "GET", path: "/objects/{id}", description: "returns place and status of an object", handle: show },
  {
    method: "DELETE",
    path: "/objects/{id}",
    description: "removes an object and everything below it",
    handle({ world, id, at }) {
      world.remove(id, at);
      return ok({ removed: id });
    },
  },
  change(
    "force",
    "sets a `status` of a sensor until it is resumed",
    z.strictObject({ status: z.enum(SETTABLE_STATUSES) }),
    (call, body) => {
      call.world.force(call.id, body.status, call.at);
    },
  ),
  change("pause", "pauses an object, optionally with a `message` and `for` a duration", remarkSchema, (call, body) => {
    call.world.pause(call.id, call.at, body.message, endOf(call, body.for));
  }),
  change("resume", "ends a pause or a forced status", none, ({ world, id, at }) => world.resume(id, at)),
  change("acknowledge", "acknowledges a sensor that is down", remarkSchema, (call, body) => {
    call.world.acknowledge(call.id, call.at, body.message, endOf(call, body.for));
  }),
  change("rename", "sets the `name` of an object", z.strictObject({ name: text }), ({ world, id }, body) => {
    world.rename(id, body.name);
  }),
  change("move", "moves an object below the object with the id `to`", z.strictObject({ to: text }), (call, body) => {
    call.world.move(call.id, body.to, { at: call.at });
  }),
  change("set", "moves a `channel` `to` a value, optionally `over` and `for` durations", setSchema, (call, body) => {
    const { world, id, at, settings } = call;
    const node = nodeOf(call);
    const channel = isSensor(node)
      ? node.channels.find(({ name, number }) => name === body.channel || number === body.channel)
      : undefined;
    if (channel === undefined) throw new ControlError(404, `the ${node.kind} ${id} has no channel ${body.channel}`);
    const effect = { kind: "reading", channel: channel.number, to: body.to, overMs: body.over ?? 0 } as const;
    const end = world.addIncident(id, {
      start: at,
      lengthMs: body.for ?? Infinity,
      everyMs: Infinity,
      times: 1,
      effect,
    });
    settings.set(id, [...(settings.get(id) ?? []), end]);
  }),
  change("unset", "ends all changes by set", none, ({ settings, id }) => {
    for (const end of settings.get(id) ?? []) end();
    settings.delete(id);
  }),
  {
    method: "POST",
    path: "/objects/{id}/add",
    description: "adds a `sensor` (optionally of a `kind`) or a `device` with this name below an object",
    handle(call) {
      const { sensor, device, kind } = readBody(call.text, addSchema);
      const { world, id, at } = call;
      const node = sensor === undefined ? world.addDevice(id, device ?? "", at) : world.addSensor(id, sensor, at, kind);
      return created(describeNode(call, node));
    },
  },
];

/** A change of one object, answered with how the object is then. */
function change<Schema extends z.ZodType>(
  name: string,
  description: string,
  schema: Schema,
  make: (call: ControlCall, body: z.output<Schema>) => void,
): ControlOperation {
  return {
    method: "POST",
    path: `/objects/{id}/${name}`,
    description,
    handle(call) {
      nodeOf(call);
      make(call, readBody(call.text, schema));
      return show(call);
    },
  };
}

function endOf({ at }: ControlCall, lengthMs: number | undefined): number | undefined {
  return lengthMs === undefined ? undefined : at + lengthMs;
}

function show(call: ControlCall): ControlReply {
  return ok(describeNode(call, nodeOf(call)));
}

function nodeOf({ world, id }: ControlCall): SimNode {
  const node = world.node(id);
  if (node === undefined) throw new ControlError(404, `there is no object with the id ${id}`);
  return node;
}

function describeNode({ world, at }: ControlCall, node: SimNode): Readonly<Record<string, unknown>> {
  const { status, since, message } = world.state(node, at);
  const { id, kind, name, parent, type } = node;
  return {
    id,
    type: kind,
    kind: type,
    name,
    path: pathOf(node),
    parent: parent?.id,
    status,
    since: isoTime(since),
    message,
  };
}
