import { expect } from "vitest";
import { NOW } from "../../../support/tiny-world.ts";
import { query, type Row } from "../row.ts";
import { ID } from "../world.ts";

const HOUR = 3_600_000;
const LENGTHS = { live: 4 * HOUR, short: 48 * HOUR, medium: 60 * 24 * HOUR, long: 365 * 24 * HOUR };
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

type Rows = readonly (readonly (string | number)[])[];

/** Channels in the header, then rows of a time with or without numbers, from `from` on. */
function timeSeries(from: number, channels: (ids: readonly string[]) => boolean) {
  return expect.toSatisfy(([head = [], ...rows]: Rows) => {
    const [time, ...names] = head;
    return (
      time === "time" &&
      channels(names as string[]) &&
      rows.every(
        ([at, ...values]) =>
          RFC_3339.test(String(at)) &&
          Date.parse(String(at)) >= from &&
          Date.parse(String(at)) <= NOW &&
          (values.length === 0 || values.length === names.length) &&
          values.every((value) => typeof value === "number"),
      )
    );
  });
}

const SENSOR = `/experimental/timeseries/${ID.up}`;
const iso = (at: number): string => new Date(at).toISOString();
const all = (names: readonly string[]): boolean =>
  names.length > 1 && names.every((name) => name.startsWith(`${ID.up}.`));

/** Time series endpoints, Time series row, and measurement lists. */
export const MEASUREMENTS: readonly Row[] = [
  ...Object.entries(LENGTHS).map(
    ([type, length]): Row => ({
      operation: "getTimeSeries",
      rule: `${type}: the last ${length / HOUR} hours; a header, then RFC 3339 and a number per channel`,
      path: `${SENSOR}/${type}`,
      answers: 200,
      shows: timeSeries(NOW - length, all),
    }),
  ),
  {
    operation: "getTimeSeries",
    rule: "empty channels are all channels",
    path: `${SENSOR}/live?channels=`,
    answers: 200,
    shows: timeSeries(NOW - LENGTHS.live, all),
  },
  {
    operation: "getTimeSeries",
    rule: "type is live by default",
    path: `${SENSOR}/`,
    answers: 200,
    shows: timeSeries(NOW - LENGTHS.live, all),
  },
  {
    operation: "getTimeSeries",
    rule: "comma-separated channel IDs",
    path: `${SENSOR}/live${query({ channels: `${ID.downtime},${ID.channel}` })}`,
    answers: 200,
    shows: timeSeries(NOW - LENGTHS.live, (names) => names.join() === `${ID.downtime},${ID.channel}`),
  },
  {
    operation: "getTimeSeries",
    rule: "a row with only a timestamp marks a gap",
    path: `/experimental/timeseries/${ID.paused}/live`,
    answers: 200,
    shows: expect.toSatisfy((rows: Rows) => rows.filter((row) => row.length === 1).length === 2),
  },
  { operation: "getTimeSeries", rule: "no such type", path: `${SENSOR}/hourly`, answers: "400 BAD_REQUEST" },
  {
    operation: "getTimeSeries",
    rule: "a channel that the sensor has not",
    path: `${SENSOR}/live?channels=${ID.up}.99`,
    answers: "404 NOT_FOUND",
  },
  {
    operation: "getTimeSeriesOfRange",
    rule: "from, up to now when to is empty",
    path: `${SENSOR}${query({ from: iso(NOW - HOUR / 2), to: "" })}`,
    answers: 200,
    shows: timeSeries(NOW - HOUR / 2 - 60_000, all),
  },
  {
    operation: "getTimeSeriesOfRange",
    rule: "from and to",
    path: `${SENSOR}${query({ from: iso(NOW - HOUR / 2), to: iso(NOW - HOUR / 4), channels: ID.channel })}`,
    answers: 200,
    shows: expect.toSatisfy((rows: Rows) => Date.parse(String(rows.at(-1)?.[0])) <= NOW - HOUR / 4),
  },
  { operation: "getTimeSeriesOfRange", rule: "from is required", path: SENSOR, answers: "400 BAD_REQUEST" },
  {
    operation: "getTimeSeriesOfRange",
    rule: "from is an RFC 3339 date-time",
    path: `${SENSOR}?from=yesterday`,
    answers: "400 BAD_REQUEST",
  },
  {
    operation: "getTimeSeriesOfRange",
    rule: "to is an RFC 3339 date-time",
    path: `${SENSOR}${query({ from: iso(NOW - HOUR), to: "now" })}`,
    answers: "400 BAD_REQUEST",
  },
  {
    operation: "getTimeSeriesOfRange",
    rule: "to is not before from",
    path: `${SENSOR}${query({ from: iso(NOW), to: iso(NOW - HOUR) })}`,
    answers: "400 BAD_REQUEST",
  },
  {
    operation: "listSensorData",
    rule: "channel measurements",
    path: `/sensors/${ID.up}/data`,
    answers: 200,
    shows: expect.arrayContaining([expect.objectContaining({ channel: expect.objectContaining({ id: ID.channel }) })]),
  },
  {
    operation: "listSensorData",
    rule: "a sensor-data-specific 4XX: it was never scanned",
    path: `/sensors/${ID.fresh}/data`,
    answers: "400 WRONG_NODE_STATUS",
  },
  {
    operation: "listChannelData",
    rule: "channel measurements",
    path: "/channels/data",
    answers: 200,
    shows: expect.arrayContaining([expect.objectContaining({ channel: expect.objectContaining({ id: ID.channel }) })]),
  },
];
