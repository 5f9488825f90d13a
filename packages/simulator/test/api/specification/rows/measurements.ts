import { expect } from "vitest";
import { CREDENTIALS } from "../../../support/running-service.ts";
import { NOW } from "../../../support/static-world.ts";
import { query, type Row, row } from "../row.ts";
import { ID } from "../specified-world.ts";

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
  ...Object.entries(LENGTHS).map(([type, length]) =>
    row(
      "getTimeSeries",
      `${type}: the last ${length / HOUR} hours; a header, then RFC 3339 and a number per channel`,
      `${SENSOR}/${type}`,
      200,
      { shows: timeSeries(NOW - length, all) },
    ),
  ),
  row("getTimeSeries", "empty channels are all channels", `${SENSOR}/live?channels=`, 200, {
    shows: timeSeries(NOW - LENGTHS.live, all),
  }),
  row("getTimeSeries", "type is live by default", `${SENSOR}/`, 200, { shows: timeSeries(NOW - LENGTHS.live, all) }),
  row(
    "getTimeSeries",
    "comma-separated channel IDs",
    `${SENSOR}/live${query({ channels: `${ID.downtime},${ID.channel}` })}`,
    200,
    { shows: timeSeries(NOW - LENGTHS.live, (names) => names.join() === `${ID.downtime},${ID.channel}`) },
  ),
  row("getTimeSeries", "a row with only a timestamp marks a gap", `/experimental/timeseries/${ID.paused}/live`, 200, {
    shows: expect.toSatisfy((rows: Rows) => rows.filter((row) => row.length === 1).length === 2),
  }),
  ...(
    [
      ["a group", "0/live", "404 NOT_FOUND"],
      ["a channel", `${ID.channel}/live`, "404 NOT_FOUND"],
      ["types are case-sensitive", `${ID.up}/LIVE`, "400 BAD_REQUEST"],
      ["the type counts before the object", "4711/hourly", "400 BAD_REQUEST"],
      ["a channel of another sensor", `${ID.up}/live?channels=${ID.down}.0`, "404 NOT_FOUND"],
      ["a channel without its sensor", `${ID.up}/live?channels=0`, "404 NOT_FOUND"],
      ["no such channel among others", `${ID.up}/long?channels=${ID.channel},nothing`, "404 NOT_FOUND"],
    ] as const
  ).map(([rule, path, answers]) => row("getTimeSeries", rule, `/experimental/timeseries/${path}`, answers)),
  row("getTimeSeries", "the key counts before the type", `${SENSOR}/hourly`, "401 AUTH_FAILED", { bearer: "WRONGKEY" }),
  row(
    "getTimeSeries",
    "a visible sensor",
    ({ simulator: { world } }) => `/experimental/timeseries/${world.node(ID.elsewhere)?.children[0]?.id}/live`,
    200,
    { bearer: CREDENTIALS.restrictedApiKey },
  ),
  row("getTimeSeriesOfRange", "other parameters", `${SENSOR}?start=${iso(NOW - HOUR)}`, "400 BAD_REQUEST"),
  row(
    "getTimeSeriesOfRange",
    "an unescaped plus is a space",
    `${SENSOR}?from=2026-03-12T00:00:00+01:00`,
    "400 BAD_REQUEST",
  ),
  row(
    "getTimeSeriesOfRange",
    "a channel that the sensor has not",
    `${SENSOR}?from=${iso(NOW - HOUR)}&channels=${ID.up}.99`,
    "404 NOT_FOUND",
  ),
  row("getTimeSeries", "no such type", `${SENSOR}/hourly`, "400 BAD_REQUEST"),
  row("getTimeSeries", "a channel that the sensor has not", `${SENSOR}/live?channels=${ID.up}.99`, "404 NOT_FOUND"),
  row(
    "getTimeSeriesOfRange",
    "from, up to now when to is empty",
    `${SENSOR}${query({ from: iso(NOW - HOUR / 2), to: "" })}`,
    200,
    { shows: timeSeries(NOW - HOUR / 2 - 60_000, all) },
  ),
  row(
    "getTimeSeriesOfRange",
    "from and to",
    `${SENSOR}${query({ from: iso(NOW - HOUR / 2), to: iso(NOW - HOUR / 4), channels: ID.channel })}`,
    200,
    { shows: expect.toSatisfy((rows: Rows) => Date.parse(String(rows.at(-1)?.[0])) <= NOW - HOUR / 4) },
  ),
  row("getTimeSeriesOfRange", "from is required", SENSOR, "400 BAD_REQUEST"),
  row("getTimeSeriesOfRange", "from is an RFC 3339 date-time", `${SENSOR}?from=yesterday`, "400 BAD_REQUEST"),
  row(
    "getTimeSeriesOfRange",
    "to is an RFC 3339 date-time",
    `${SENSOR}${query({ from: iso(NOW - HOUR), to: "now" })}`,
    "400 BAD_REQUEST",
  ),
  row(
    "getTimeSeriesOfRange",
    "to is not before from",
    `${SENSOR}${query({ from: iso(NOW), to: iso(NOW - HOUR) })}`,
    "400 BAD_REQUEST",
  ),
  row("listSensorData", "channel measurements", `/sensors/${ID.up}/data`, 200, {
    shows: expect.arrayContaining([expect.objectContaining({ channel: expect.objectContaining({ id: ID.channel }) })]),
  }),
  ...(["specification", "live"] as const).map((spelling) =>
    row(
      "listSensorData",
      `each equals the last measurement of its channel: ${spelling}`,
      `/sensors/${ID.up}/data`,
      200,
      {
        spelling,
        after: [
          async (it) => {
            for (const { channel, ...measurement } of it.received.json as { channel: { id: string } }[]) {
              const { json } = await it.send("GET", `/channels/${channel.id}`);
              const { last_measurement, basic } = json as { last_measurement: object; basic: { unittype: string } };
              const unit = { type: basic.unittype };
              expect(measurement).toEqual(spelling === "live" ? { last_measurement, unit } : last_measurement);
            }
          },
        ],
      },
    ),
  ),
  row("listSensorData", "a record links to its channel", `/sensors/${ID.up}/data?limit=1`, 200, {
    spelling: "live",
    shows: [
      {
        channel: { id: ID.channel, type: "REFERENCED_CHANNEL", href: `/api/v2/channels/${ID.channel}` },
        last_measurement: { timestamp: expect.any(String), value: expect.any(Number) },
      },
    ],
  }),
  row(
    "listSensorData",
    "filter",
    `/sensors/${ID.up}/data${query({ filter: "primary = false", sort_by: "-id" })}`,
    200,
    {
      after: [
        ({ received: { json } }) => {
          const found = (json as { channel: { id: string } }[]).map(({ channel }) => channel.id);
          expect(found).toContain(ID.downtime);
          expect(found).not.toContain(ID.channel);
        },
      ],
    },
  ),
  row("listChannelData", "only visible channels", "/channels/data", 200, {
    bearer: CREDENTIALS.restrictedApiKey,
    after: [
      ({ simulator: { world }, received: { json } }) => {
        const seen = world.channels().filter(({ sensor }) => sensor.parent?.id === ID.elsewhere);
        expect(json).toMatchObject(seen.map(({ sensor, number }) => ({ channel: { id: `${sensor.id}.${number}` } })));
      },
    ],
  }),
  row(
    "listSensorData",
    "a sensor-data-specific 4XX: it was never scanned",
    `/sensors/${ID.fresh}/data`,
    "400 WRONG_NODE_STATUS",
  ),
  row("listChannelData", "channel measurements", "/channels/data", 200, {
    shows: expect.arrayContaining([expect.objectContaining({ channel: expect.objectContaining({ id: ID.channel }) })]),
  }),
];
