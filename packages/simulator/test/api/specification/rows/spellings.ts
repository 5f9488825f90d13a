import { expect } from "vitest";
import type { OperationId } from "../../../../src/api/contract/types.ts";
import { type Answer, ids, query, type Row, row } from "../row.ts";
import { ID } from "../specified-world.ts";

type Result = readonly string[] | Answer;

const REFUSED = "400 INVALID_FILTER";
const OURS = `parentid = "${ID.device}"`;

/** Filters of sensors: the ids that both find, or how they refuse. */
const FILTERS: readonly (readonly [rule: string, filter: string, live: Result, specification: Result])[] = [
  ["a name can match", `name matches "ow" and ${OURS}`, [ID.down], REFUSED],
  ...["(", ")", "[", "]", "&"].map(
    (character) => [`a text cannot have ${character}`, `name = "Ping ${character} more"`, REFUSED, []] as const,
  ),
  ["nor in a list", `name in ["up", "a (b)"] and ${OURS}`, REFUSED, [ID.up]],
  ["nor a tag", 'basic.tags contains "R&D"', REFUSED, []],
  ["a text has quotes", "name = Ping", REFUSED, REFUSED],
  ["a parent is a text", "parentid = 100", REFUSED, REFUSED],
  ["a list of numbers finds nothing", `parentid in [${ID.device}]`, [], REFUSED],
  ["a parent can be in a list", `parentid in ["${ID.four}"]`, [ID.a, ID.b, ID.c, ID.d], REFUSED],
  ["only the direct parent counts", `parentid = "${ID.group}"`, [], []],
  ["a status can be in a list", `status in [DOWN, WARNING] and ${OURS}`, [ID.down], REFUSED],
  ["a status in upper case", `status = UP and ${OURS}`, [ID.up], [ID.up]],
  ["a status of records is not a status of filters", "status = DOWN_PARTIAL", REFUSED, REFUSED],
  ["nor one with its prefix", "status = SUMMED_INFO_UP", REFUSED, REFUSED],
  ["pausedbyuseruntil is a status", "status = pausedbyuseruntil", [], REFUSED],
  ["operators are no words", 'name eq "Ping"', REFUSED, REFUSED],
  ["parent.id is no property", 'parent.id = "100"', REFUSED, REFUSED],
  ["nor sensor_kind", 'sensor_kind = "ping"', REFUSED, REFUSED],
];

const DISCOVERY = "discoverytypegroup";
const INTERVAL = "intervalgroup";
/** Values of settings: texts on live servers. */
const RECORDS: readonly (readonly [OperationId, rule: string, path: string, live: object, specification: object])[] = [
  ...(
    [
      ["getSensor", INTERVAL, `/sensors/${ID.up}`, { interval: "60" }, { interval: 60 }],
      ["getDevice", DISCOVERY, `/devices/${ID.device}`, { discoverytype: "0" }, { discoverytype: 0 }],
    ] as const
  ).map(
    ([operation, section, path, live, specification]) =>
      [operation, section, `${path}?include=${section}`, { [section]: live }, { [section]: specification }] as const,
  ),
  ...(
    [
      ["getGroup", `/groups/${ID.group}`],
      ["getDevice", `/devices/${ID.device}`],
      ["getSensor", `/sensors/${ID.up}`],
      ["getProbe", `/probes/${ID.probe}`],
    ] as const
  ).map(([operation, path]) => {
    const rights = { accessrightsgroup: { _inherited: false } };
    return [operation, "rights", `${path}?include=accessrightsgroup,inheritance`, rights, rights] as const;
  }),
];

/** What clients saw on live servers, beside the specification. */
export const SPELLINGS: readonly Row[] = (["live", "specification"] as const).flatMap((spelling) => {
  const isLive = spelling === "live";
  return [
    ...FILTERS.map(([rule, filter, live, specification]) => {
      const result = isLive ? live : specification;
      const path = `/experimental/sensors${query({ filter })}`;
      return typeof result === "object"
        ? row("listSensors", `${spelling}: ${rule}`, path, 200, { spelling, shows: ids(...result) })
        : row("listSensors", `${spelling}: ${rule}`, path, result, { spelling });
    }),
    ...RECORDS.map(([operation, rule, path, live, specification]) =>
      row(operation, `${spelling}: ${rule}`, path, 200, { spelling, shows: isLive ? live : specification }),
    ),
    row(
      "getSensor",
      `${spelling}: a sensor has no ${DISCOVERY}`,
      `/sensors/${ID.up}?include=${DISCOVERY}`,
      "400 BAD_REQUEST",
      { spelling },
    ),
    row(
      "listDevices",
      `${spelling}: unknown parameters, and those of other lists`,
      "/experimental/devices?sort=name&sensor_status_summary=true",
      200,
      { spelling, after: [({ received }) => expect(received.text).not.toContain("sensor_status_summary")] },
    ),
    ...["/messages", "/experimental/logs", "/status"].map((path) =>
      row("none", `${spelling}: no such endpoint`, path, "404 NOT_FOUND", { spelling, method: "GET" }),
    ),
    ...(
      [
        ["", isLive ? 100 : 152],
        ["?limit=0", 152],
        ["?limit=7", 7],
      ] as const
    ).map(([parameters, count]) =>
      row("listSensors", `${spelling}: number of records of a page`, `/experimental/sensors${parameters}`, 200, {
        spelling,
        before: [
          ({ simulator: { world, now } }) => {
            for (let number = 0; number < 120; number++) world.addSensor(ID.device, `Sensor ${number}`, now());
          },
        ],
        headers: { "x-result-count": String(count), "x-total-count": "152" },
      }),
    ),
  ];
});
