import { type Answer, ids, query, type Row, row, sees } from "../row.ts";
import { ID } from "../specified-world.ts";

function found(rule: string, filter: string, ...expected: readonly string[]): Row {
  const path = `/experimental/objects${query({ filter })}`;
  return row("listObjects", `${rule}: ${filter}`, path, 200, { shows: ids(...expected) });
}

function refused(rule: string, filter: string, answers: Answer = "400 INVALID_FILTER"): Row {
  return row("listObjects", `${rule}: ${filter}`, `/experimental/objects${query({ filter })}`, answers);
}

const SENSORS = [ID.up, ID.down, ID.paused, ID.fresh];
const ONLY_OURS = `parentid = "${ID.device}"`;

/** Section Filters. packages/simulator/test/filter covers every property and operator. */
export const FILTERS: readonly Row[] = [
  found("text in double quotes", `name = "Known device"`, ID.device),
  found("enumeration unquoted", `status = down and ${ONLY_OURS}`, ID.down),
  found("boolean", `primary = true and parentid = "${ID.up}"`, ID.channel),
  found("number as digits", `priority >= 1 and id = "${ID.up}"`, ID.up),
  found("duration with suffix s", `intervalgroup.interval = 60s and id = "${ID.up}"`, ID.up),
  found("list in square brackets, with in", `name in ["up", "down"] and ${ONLY_OURS}`, ID.up, ID.down),
  found("nil selects absent values", `basic.host = nil and id = "${ID.group}"`, ID.group),
  found("nil selects absent values", `basic.host != nil and id = "${ID.device}"`, ID.device),
  found("=", `id = "${ID.up}"`, ID.up),
  found("!=", `${ONLY_OURS} and name != "up"`, ...SENSORS.slice(1)),
  found("<", `intervalgroup.interval < 61s and id = "${ID.up}"`, ID.up),
  found("<=", `intervalgroup.interval <= 60s and id = "${ID.up}"`, ID.up),
  found(">", `intervalgroup.interval > 60s and id = "${ID.up}"`),
  found(">=", `intervalgroup.interval >= 60s and id = "${ID.up}"`, ID.up),
  found("contains", `ancestors contains "${ID.four}" and type = sensor`, ID.a, ID.b, ID.c, ID.d),
  found("matches", `sensorkindname matches "Ping" and id = "${ID.up}"`, ID.up),
  found("and", `${ONLY_OURS} and name = "up"`, ID.up),
  found("or", `id = "${ID.up}" or id = "${ID.down}"`, ID.up, ID.down),
  found("not", `${ONLY_OURS} and not name = "up"`, ...SENSORS.slice(1)),
  found("not first, and second, or last", `id = "${ID.up}" or id = "${ID.down}" and not status = down`, ID.up),
  found("parentheses", `(id = "${ID.up}" or id = "${ID.down}") and status = down`, ID.down),
  found("parents", `parents id = "${ID.up}"`, ID.device),
  found("children", `children id = "${ID.four}"`, ID.a, ID.b, ID.c, ID.d),
  found("ancestors", `ancestors id = "${ID.up}" and type = device`, ID.device),
  found("channels are descendants of a device", `descendants id = "${ID.device}" and id = "${ID.channel}"`, ID.channel),
  found("channels are children of sensors", `children id = "${ID.up}" and primary = true`, ID.channel),
  found("text filters are case-sensitive", `name = "known device"`),
  found("type", `type = probe`, ID.probe, ID.otherProbe),
  found("kind", `kind = "ping" and parentid = "${ID.four}"`, ID.a, ID.b, ID.c, ID.d),
  found("favorite", `favorite = false and id = "${ID.up}"`, ID.up),
  refused("the value type must equal the property type", `name = 5`),
  refused("the value type must equal the property type", `favorite = "yes"`),
  refused("not every operator works with every property", `name < "x"`),
  refused("not every operator works with every property", `status in [up]`),
  refused("elements of one type", `name in ["up", 5]`),
  refused("an unknown property", `colour = "red"`),
  refused("an unknown status token", `status = fine`),
  refused("no expression", `name`),
  refused("unbalanced parentheses", `(name = "up"`),
  refused("an invalid duration", `intervalgroup.interval = 60`, "400 INVALID_DURATION"),
  refused("an invalid duration", `scanninginterval > 1.2.3s`, "400 INVALID_DURATION"),
  ...[
    `${"(".repeat(2000)}primary=true${")".repeat(2000)}`,
    `${"not ".repeat(2500)}primary=true`,
    `${"descendants ".repeat(1000)}primary=true`,
    "[".repeat(4000),
  ].map((filter) => ({ ...refused("too deep", filter), rule: `too deep: ${filter.slice(0, 20)}` })),
  { ...found("many terms", `${'id = "x" or '.repeat(600)}id = "${ID.up}"`, ID.up), rule: "many terms" },
  row("pauseSensors", "also in the field filter of multi-object actions", "/sensors/pause", 200, {
    body: { filter: `children id = "${ID.four}" and name in ["a", "b"]` },
    shows: [{ node: { id: ID.a } }, { node: { id: ID.b } }],
    after: [sees(`/sensors/${ID.a}`, { status: "pausedbyuser" })],
  }),
];
