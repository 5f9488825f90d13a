import type { Simulator } from "prtg-simulator/src/simulator.ts";
import type { SimNode } from "prtg-simulator/src/world/model.ts";
import { z } from "zod";
import { TEST_KEY } from "../../support/simulated-exporter.ts";
import type { PublishedContract, PublishedOperation } from "./published-contract.ts";

/** Operations that reject schema-valid requests with BAD_REQUEST, for reasons no schema expresses. */
const BY_DESIGN: readonly (readonly [operations: RegExp, reason: string])[] = [
  [/^move/, "an object cannot go below itself or below a kind that cannot hold it, and the root stays"],
  [/^clone/, "a clone needs a parent of the right kind, and a name that is not blank"],
  [/^create(Probe|Group)(Device|Group)$|^createSensor$/, "the settings that an object has depend on its kind"],
  [/^edit(Group|Device|Sensor|SensorAtSingular)$/, "the settings that an object has depend on its kind"],
  [/^startMetascan$/, "not every kind of sensor has something to look for"],
  [/^deleteGroup$/, "the root stays"],
  [/^get(Read|Edit)Schema$/, "the sections that can be included depend on the kind of the object"],
  [/^get(Schema|CreateSchema)$/, "the parameters depend on each other"],
  [/^findApiKey$/, "only the creation of a key tells its text"],
  [/^getTimeSeriesOfRange$/, "the end must not come before the beginning"],
];

/** Codes for states of object, account or session, unknown to the request. */
const STATE_CODES = [
  ...["WRONG_NODE_STATUS", "PAUSE_ADMIN", "RENEW_FAILED", "LOGOUT_FAILED"],
  ...["INVALID_PASSWORD_RESET_TOKEN", "LOW_PASSWORD_COMPLEXITY"],
];

/** Accepted statuses for a valid request: the check's default and 400. */
const ACCEPTED_OR_REFUSED = ["2xx", "400", "401", "403", "404", "409", "5xx"];

const RECORD = z.object({ id: z.string() });

/** Ids for path placeholders. Invented ids are mostly unknown and only give 404. */
type Ids = Readonly<Record<string, readonly string[]>>;

/** Kinds by the path segment before the id. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ probes: "Probe", groups: "Group", devices: "Device", objects: "Device", schemas: "Device" },
  ...{
    sensors: "Sensor",
    sensor: "Sensor",
    timeseries: "Sensor",
    channels: "Channel",
    "sensor-status-summary": "Group",
  },
  ...{ users: "User", usergroups: "UserGroup", "api-keys": "ApiKey" },
  ...{ autodiscoveryjobs: "AutodiscoveryJob", autodiscoverytasks: "AutodiscoveryJob" },
};

/** Kinds of parents for move and copy. */
const PARENTS: Readonly<Record<string, string>> = { Probe: "Root", Group: "Probe", Device: "Group", Sensor: "Device" };
const PARENT_FIELDS = ["parent", "parent_id"];

/** True if a schema-valid request may get 400. */
export function refusesByDesign({ id, codes }: Pick<PublishedOperation, "id" | "codes">): boolean {
  return codes.some((code) => STATE_CODES.includes(code)) || BY_DESIGN.some(([operations]) => operations.test(id));
}

/** TOML. `systematic`: operations with systematic cases. All get random ones. */
export async function configuration(
  simulator: Simulator,
  contract: PublishedContract,
  systematic: ReadonlySet<string>,
): Promise<string> {
  // schemathesis rejects empty dictionaries.
  const known = Object.entries(await idsOf(simulator, contract)).filter(([, ids]) => ids.length > 0);
  const dictionaries = known.map(([name, ids]) => `[dictionaries.${name}]\nvalues = ${JSON.stringify(ids)}\n`);
  const sections = contract.operations.flatMap((operation) => {
    const lines = settingsOf(operation, systematic);
    return lines.length === 0
      ? []
      : [`[[operations]]\ninclude-operation-id = "${operation.id}"\n${lines.join("\n")}\n`];
  });
  // Generation time depends only on the machine.
  return ['cache.enabled = false\nsuppress-health-check = ["too_slow"]\n', ...dictionaries, ...sections].join("\n");
}

function settingsOf(
  { id, method, path, codes }: PublishedOperation,
  systematic: ReadonlySet<string>,
): readonly string[] {
  // Closing the session would end the test.
  const lines = id === "closeSession" ? ["enabled = false"] : [];
  const kind = path.endsWith("/acknowledge") ? "Alarm" : KINDS[/([^/]+)\/\{id\}/.exec(path)?.[1] ?? ""];
  const deletes = method === "DELETE";
  if (kind !== undefined) {
    const parent = /\/(move|clone)$/.test(path) ? PARENTS[kind] : undefined;
    const bindings = [
      `"path.id" = { dictionary = "${deletes ? `Spare${kind}` : kind}", probability = ${deletes ? 1 : 0.9} }`,
      ...(parent === undefined ? [] : PARENT_FIELDS).map(
        (field) => `"body.${field}" = { dictionary = "${parent}", probability = 0.9 }`,
      ),
    ];
    lines.push(`parameters = { ${bindings.join(", ")} }`);
  }
  // They use ids from examples and answers, and would delete, pause and move needed objects.
  if (deletes || !systematic.has(id)) lines.push("phases.coverage.enabled = false");
  else if (/\/(pause|move)$/.test(path)) lines.push("phases.coverage.extra-data-sources.responses = false");
  // Its documented answer to unsupported sections is 501.
  if (id === "editSensorAtSingular") lines.push("checks.not_a_server_error.enabled = false");
  if (refusesByDesign({ id, codes })) {
    lines.push(`checks.positive_data_acceptance.expected-statuses = ${JSON.stringify(ACCEPTED_OR_REFUSED)}`);
  }
  return lines;
}

type Send = (method: string, path: string, body?: object) => Promise<unknown>;

/** Deletion removes everything below, so each deleted kind, and auto-discovery jobs, have their own probe. */
async function idsOf({ url, world }: Simulator, contract: PublishedContract): Promise<Ids> {
  const call: Send = async (method, path, body) => {
    const headers = { Authorization: `Bearer ${TEST_KEY}`, "Content-Type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return (await fetch(`${url}/api/v2${path}`, { method, headers, ...sent })).json();
  };
  const listed = async (path: string): Promise<string[]> =>
    contract.operations.some((one) => one.method === "GET" && one.path === path)
      ? z
          .array(RECORD)
          .parse(await call("GET", path))
          .map(({ id }) => id)
      : [];
  const keys: string[] = [];
  for (let number = 0; number < 20; number++) {
    keys.push(
      RECORD.parse(await call("POST", "/users/me/api-keys", { name: `key ${number}`, access_level: "READ" })).id,
    );
  }
  const [home, ofJobs, ofGroups, ofDevices, ofSensors, spare] = world.list("probe");
  const below = (nodes: readonly SimNode[], probe: SimNode | undefined): string[] =>
    nodes.filter((node) => isBelow(node, probe)).map(({ id }) => id);
  const [groups, devices, sensors] = [world.list("group"), world.list("device"), world.list("sensor")];
  const jobs = await createJobs(call, contract, below(groups, ofJobs));
  const alarms = below(sensors, ofJobs).slice(0, 10);
  for (const id of alarms) world.force(id, "down", Date.now());
  return {
    Root: idOf(home?.parent),
    Probe: idOf(home),
    SpareProbe: idOf(spare),
    Group: below(groups, home),
    SpareGroup: below(groups, ofGroups),
    Device: below(devices, home),
    SpareDevice: below(devices, ofDevices),
    Sensor: below(sensors, home),
    SpareSensor: below(sensors, ofSensors),
    Alarm: alarms,
    Channel: world
      .channels()
      .filter(({ sensor }) => isBelow(sensor, home))
      .map(({ sensor, number }) => `${sensor.id}.${number}`),
    ApiKey: keys.slice(0, 10),
    SpareApiKey: keys.slice(10),
    User: await listed("/experimental/users"),
    UserGroup: await listed("/experimental/usergroups"),
    AutodiscoveryJob: jobs.slice(0, 3),
    SpareAutodiscoveryJob: jobs.slice(3),
  };
}

function isBelow(node: SimNode, probe: SimNode | undefined): boolean {
  return node.parent !== undefined && (node.parent === probe || isBelow(node.parent, probe));
}

function idOf(node: SimNode | undefined): string[] {
  return node === undefined ? [] : [node.id];
}

/** New job ids, alternating groups. Empty without jobs. */
async function createJobs(call: Send, { operations }: PublishedContract, groups: readonly string[]): Promise<string[]> {
  const ids: string[] = [];
  if (!operations.some(({ id }) => id === "createGroupAutodiscoveryJob")) return ids;
  for (let number = 0; number < 6; number++) {
    const group = groups[number % groups.length] ?? "";
    const body = { basic: { name: `job ${number}` } };
    const created = await call("POST", `/experimental/groups/${group}/autodiscoveryjob`, body);
    ids.push(
      ...z
        .array(RECORD)
        .parse(created)
        .map(({ id }) => id),
    );
  }
  return ids;
}
