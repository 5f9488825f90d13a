import { expect } from "vitest";
import { type Row, row, sees } from "../row.ts";
import type { Running } from "../running.ts";
import { ID } from "../specified-world.ts";

const REFERENCE = {
  id: expect.stringMatching(/^\d+$/),
  type: expect.stringMatching(/^REFERENCED_(ROOT|PROBE|GROUP|DEVICE|SENSOR|USER|USERGROUP)$/),
  name: expect.any(String),
  href: expect.stringMatching(/^\/api\/v2\//),
};
const SECTION = expect.any(Object);

function only(present: readonly string[], absent: readonly string[]) {
  return expect.toSatisfy(
    (record: object) => present.every((key) => key in record) && absent.every((key) => !(key in record)),
  );
}

function on(rule: string, path: string, shows: unknown): Row {
  const operation = path.startsWith("/devices")
    ? "getDevice"
    : path.startsWith("/sensors")
      ? "getSensor"
      : "getChannel";
  return row(operation, rule, path, 200, { shows });
}

const DEVICE = `/devices/${ID.device}`;
const SECTIONS = ["intervalgroup", "scheduledependency", "windowsconnection", "path"];

const OF_SENSORS = ["intervalgroup", "scheduledependency", "accessrightsgroup", "path"];
const OF_NODES = [...OF_SENSORS, "windowsconnection", "discoverytypegroup"];

/** The sections that an include adds to the default record. */
const ADDED: readonly (readonly [path: string, include: string, sections: readonly string[]])[] = [
  [`/sensors/${ID.up}`, ",", []],
  [`/sensors/${ID.up}`, "basic", []],
  [`/sensors/${ID.up}`, "path", ["path"]],
  [`/sensors/${ID.up}`, "intervalgroup,path", ["intervalgroup", "path"]],
  [`/sensors/${ID.up}`, "all_sections", OF_SENSORS],
  [`/sensors/${ID.up}`, "*", OF_SENSORS],
  [DEVICE, "all_sections", OF_NODES],
  [DEVICE, "*", [...OF_NODES, "sensor_status_summary"]],
  [`/channels/${ID.channel}`, "all_sections", ["alerting", "values", "path"]],
  [`/channels/${ID.channel}`, "*", ["alerting", "values", "path"]],
];

/** Section Includes, and Tree node response with inheritance properties. */
export const INCLUDES: readonly Row[] = [
  ...ADDED.map(([path, include, sections]) => ({
    ...on(`sections that ${include} adds`, `${path}?include=${include}`, {}),
    after: [
      async (it: Running) => {
        const { json } = await it.send("GET", path);
        const added = Object.keys(it.received.json as object).filter((name) => !(name in (json as object)));
        expect(added.sort()).toEqual([...sections].sort());
      },
    ],
  })),
  row("listObjects", "no inheritance without its include", "/experimental/objects?include=all_sections", 200, {
    after: [({ received }) => expect(received.text).not.toContain("_inherit")],
  }),
  row("listObjects", "each object has the sections of its kind", "/experimental/objects?include=*", 200, {
    after: [
      ({ received: { json } }) => {
        const objects = json as readonly { readonly type: string }[];
        const having = (name: string) => [...new Set(objects.filter((one) => name in one).map(({ type }) => type))];
        expect(having("alerting")).toEqual(["channel"]);
        expect(having("intervalgroup")).toEqual(["probe", "group", "device", "sensor"]);
        expect(having("sensor_status_summary")).toEqual(["probe", "group", "device"]);
        expect(objects.filter((one) => !("path" in one))).toEqual([]);
      },
    ],
  }),
  on(
    "an empty value returns the default selection",
    `${DEVICE}?include=`,
    only(["basic"], [...SECTIONS, "sensor_status_summary"]),
  ),
  ...SECTIONS.map((section) =>
    on(
      `individual section ${section}`,
      `${DEVICE}?include=${section}`,
      only(
        [section],
        SECTIONS.filter((one) => one !== section),
      ),
    ),
  ),
  on(
    "sections separated by commas",
    `${DEVICE}?include=intervalgroup,path`,
    only(["intervalgroup", "path"], ["windowsconnection"]),
  ),
  on(
    "sections in repeated parameters",
    `${DEVICE}?include=intervalgroup&include=path,basic`,
    only(["intervalgroup", "path"], ["windowsconnection"]),
  ),
  on(
    "all_sections lists all available sections",
    `${DEVICE}?include=all_sections`,
    only(["basic", ...SECTIONS], ["sensor_status_summary"]),
  ),
  on("sensor_status_summary: number of sensors per status", `${DEVICE}?include=sensor_status_summary`, {
    sensor_status_summary: { down: 1 },
  }),
  on("* includes all_sections, inheritance and sensor_status_summary", `${DEVICE}?include=*`, {
    ...Object.fromEntries(SECTIONS.map((section) => [section, SECTION])),
    intervalgroup: { _inherited: true },
    sensor_status_summary: SECTION,
  }),
  on("basic has name, host, hostv6, tags, parenttags", DEVICE, {
    basic: { name: "Known device", host: "10.9.0.1", hostv6: "", tags: [], parenttags: expect.any(Array) },
  }),
  on("intervalgroup has interval, errorintervalsdown", `${DEVICE}?include=intervalgroup`, {
    intervalgroup: { interval: 60, errorintervalsdown: 1 },
  }),
  on("inheritance: source, inherited, shadowed of each section", `${DEVICE}?include=intervalgroup,inheritance`, {
    intervalgroup: {
      _inheritancesource: REFERENCE,
      _inherited: true,
      _shadowed: { interval: 60, errorintervalsdown: 1 },
    },
  }),
  row(
    "getGroup",
    "the root inherits from nothing: its settings have itself as their source",
    "/groups/0?include=*",
    200,
    {
      shows: Object.fromEntries(
        ["basic", "intervalgroup", "scheduledependency", "windowsconnection"].map((section) => [
          section,
          {
            _inheritancesource: { id: "0", type: "REFERENCED_ROOT", href: "/api/v2/groups/0" },
            _inherited: false,
            _shadowed: null,
          },
        ]),
      ),
    },
  ),
  row(
    "editDevice",
    "_inherited is false when the settings are defined on the object, _shadowed is null then",
    DEVICE,
    204,
    {
      body: { intervalgroup: { interval: 300 } },
      after: [
        sees(`${DEVICE}?include=intervalgroup,inheritance`, {
          intervalgroup: { interval: 300, _inheritancesource: REFERENCE, _inherited: false, _shadowed: null },
        }),
        sees(`/sensors/${ID.a}?include=intervalgroup,inheritance`, { intervalgroup: { interval: 60 } }),
        sees(`/sensors/${ID.up}?include=intervalgroup,inheritance`, {
          intervalgroup: {
            interval: 300,
            _inheritancesource: { id: ID.device, type: "REFERENCED_DEVICE" },
            _inherited: true,
          },
        }),
      ],
    },
  ),
  row("editDevice", "the password of windowsconnection is returned masked", DEVICE, 204, {
    body: {
      windowsconnection: { windowslogindomain: "CORP", windowsloginusername: "svc", windowsloginpassword: "secret" },
    },
    after: [
      sees(`${DEVICE}?include=windowsconnection`, {
        windowsconnection: {
          windowslogindomain: "CORP",
          windowsloginusername: "svc",
          windowsloginpassword: expect.stringMatching(/^\*+$/),
        },
      }),
    ],
  }),
  ...["alerting", "values", "path"].map((section) =>
    on(`channels have ${section}`, `/channels/${ID.channel}?include=${section}`, { [section]: SECTION }),
  ),
  on("channels have all_sections", `/channels/${ID.channel}?include=all_sections`, {
    alerting: SECTION,
    values: SECTION,
    path: SECTION,
  }),
  on(
    "sensors have all_sections",
    `/sensors/${ID.up}?include=all_sections`,
    only(["intervalgroup", "path"], ["sensor_status_summary"]),
  ),
  row(
    "getSensor",
    "sensors have include without sensor_status_summary",
    `/sensors/${ID.up}?include=sensor_status_summary`,
    "400 BAD_REQUEST",
  ),
  row(
    "getChannel",
    "sections of other kinds are none of the endpoint's",
    `/channels/${ID.channel}?include=windowsconnection`,
    "400 BAD_REQUEST",
  ),
];
