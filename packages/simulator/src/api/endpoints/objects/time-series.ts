import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { badRequest, notFound } from "../../../api-errors.ts";
import {
  LIVE,
  positions,
  renderTimeSeries,
  TIME_SERIES_TYPES,
  type TimeSeriesType,
} from "../../../records/time-series.ts";
import type { SimAverages, SimChannel, SimRow, SimSensor, World } from "../../../world/model.ts";
import { idOf, isSensor } from "../../../world/objects.ts";
import { DOWNTIME_NUMBER } from "../../../world/sensors/sensor-kind.ts";
import type { Call, Endpoint } from "../../endpoint.ts";
import { dateTimeParameter } from "../../parameters.ts";
import { jsonReply, type Reply } from "../../reply.ts";

export const TIME_SERIES: readonly Endpoint[] = [
  { operation: "getTimeSeries", access: "bearer", handle: ofType },
  { operation: "getTimeSeriesOfRange", access: "bearer", handle: ofRange },
];

/** Rows are those whose time lies in it; averages must also be over. Milliseconds since the epoch, both ends included. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** "`live` = last 4 hours, ...; default `live`" */
function ofType(call: Call): Promise<Reply> {
  const name = call.params.type || LIVE.name;
  const type = TIME_SERIES_TYPES.find((known) => known.name === name);
  if (type === undefined) {
    throw badRequest(`type must be one of ${TIME_SERIES_TYPES.map((known) => known.name).join(", ")}`);
  }
  const { now } = call;
  // Four hours of a sensor that scans once a minute are 240 scans, whenever they are asked for.
  return answer(call, type, { from: now - type.windowMs + 1, to: now });
}

/** Our reading: the averages of the finest type whose window reaches back to `from`. */
function ofRange(call: Call): Promise<Reply> {
  const { query, now } = call;
  const from = dateTimeParameter(query, "from");
  if (from === undefined) throw badRequest("from is required");
  const to = dateTimeParameter(query, "to") ?? Math.max(from, now);
  if (to < from) throw badRequest("to must not be before from");
  const type = TIME_SERIES_TYPES.find(({ windowMs }) => from > now - windowMs) ?? TIME_SERIES_TYPES.at(-1) ?? LIVE;
  return answer(call, type, { from, to: Math.min(to, now) });
}

async function answer(call: Call, { spanMs }: TimeSeriesType, { from, to }: Range): Promise<Reply> {
  const sensor = sensorOf(call);
  const channels = channelsOf(sensor, call.query.get("channels"));
  const { world } = call.rendering;
  if (spanMs === undefined) {
    const due = positions(world.schedule(sensor), from, to, spanMs);
    return jsonReply(renderTimeSeries(channels, due, world.measurements(sensor, from, to)));
  }
  // A span that begins in the range counts, as soon as it is over; until then it has no row, and lacks none.
  const end = Math.min(call.now, Math.floor(to / spanMs) * spanMs + spanMs);
  const rows = await averagesInTurns(world, sensor, { from, to: end }, spanMs);
  const asked = channels.every(({ number }) => number === DOWNTIME_NUMBER) ? rows.map(downtimeAlone) : rows;
  return jsonReply(renderTimeSeries(channels, positions(world.schedule(sensor), from, end, spanMs), asked));
}

/** With the scans without an answer, as rows of `live` that were asked for Downtime alone. */
function downtimeAlone({ at, displayValues, downtime }: SimAverages): SimRow {
  return { at, displayValues: displayValues.map(() => downtime) };
}

/** Some ten milliseconds of work. */
const VALUES_A_TURN = 50_000;

/** In turns, since a year has millions of values; the world caches them, and the last call has them all. */
async function averagesInTurns(
  world: World,
  sensor: SimSensor,
  { from, to }: Range,
  spanMs: number,
): Promise<readonly SimAverages[]> {
  const { first, everyMs } = world.schedule(sensor);
  const turn = Math.ceil((VALUES_A_TURN * everyMs) / sensor.channels.length / spanMs) * spanMs;
  for (let begin = Math.floor(Math.max(from, first) / spanMs) * spanMs; begin + turn < to; begin += turn) {
    world.averages(sensor, begin, begin + turn, spanMs);
    await yieldToEventLoop();
  }
  return world.averages(sensor, from, to, spanMs);
}

function sensorOf({ visible, params }: Call): SimSensor {
  const node = visible.node(params.id ?? "");
  if (node === undefined || !isSensor(node)) throw notFound();
  return node;
}

/** In the order asked for, each once; "empty means all channels". A channel of another sensor is unknown here. */
function channelsOf(sensor: SimSensor, parameter: string | null): readonly SimChannel[] {
  const ids = new Set((parameter ?? "").split(",").map((id) => id.trim()));
  ids.delete("");
  if (ids.size === 0) return sensor.channels;
  return [...ids].map((id) => {
    const channel = sensor.channels.find((known) => idOf(known) === id);
    if (channel === undefined) throw notFound(`Resource not found at this endpoint: channel ${id}`);
    return channel;
  });
}
