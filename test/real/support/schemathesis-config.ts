import { z } from "zod";
import type { Simulator } from "../../../src/simulator/simulator.ts";
import type { SimNode } from "../../../src/simulator/world/model.ts";
import { TEST_KEY } from "../../support/simulated-exporter.ts";
import type { PublishedContract, PublishedOperation } from "./published-contract.ts";

/** Operations that refuse requests which fit their schema, for a reason that no schema can tell, with BAD_REQUEST. */
export const BY_DESIGN: readonly (readonly [operations: RegExp, reason: string])[] = [
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

/** Codes that tell a state of the object, of the account or of the session, which a request cannot know. */
const STATE_CODES = [
  ...["WRONG_NODE_STATUS", "PAUSE_ADMIN", "RENEW_FAILED", "LOGOUT_FAILED"],
  ...["INVALID_PASSWORD_RESET_TOKEN", "LOW_PASSWORD_COMPLEXITY"],
];

/** What the check takes for an answer to a request that fits: its default, and 400. */
const ACCEPTED_OR_REFUSED = ["2xx", "400", "401", "403", "404", "409", "5xx"];

const RECORD = z.object({ id: z.string() });

/** Ids for the placeholders of paths. Nearly all invented ids are unknown, and then the service says little else than 404. */
type Ids = Readonly<Record<string, readonly string[]>>;

/** Kinds of ids, by a part of the name of the operations that take them; longest first. */
const KINDS = ["AutodiscoveryJob", "ApiKey", "UserGroup", "Device", "Group", "Probe", "Sensor", "Channel", "User"];

/** Whether 400 can be right for a request that fits its schema. */
export function refusesByDesign({ id, codes }: Pick<PublishedOperation, "id" | "codes">): boolean {
  return codes.some((code) => STATE_CODES.includes(code)) || BY_DESIGN.some(([operations]) => operations.test(id));
}

/** Whether systematic cases are sent to an operation; random ones always are. */
export type IsCovered = (operation: string) => boolean;

/** The program's configuration, TOML: ids that exist, which operations get which cases, and which checks do not hold where. */
export async function configuration(
  simulator: Simulator,
  contract: PublishedContract,
  isCovered: IsCovered,
): Promise<string> {
  // The program refuses a dictionary without values.
  const known = Object.entries(await idsOf(simulator, contract)).filter(([, ids]) => ids.length > 0);
  const dictionaries = known.map(([name, ids]) => `[dictionaries.${name}]\nvalues = ${JSON.stringify(ids)}\n`);
  const sections = contract.operations.flatMap(({ id, method, path, codes }) => {
    const kind = path.includes("{id}") ? kindOf(id) : undefined;
    const deletes = method === "DELETE";
    const dictionary = deletes ? `Spare${kind}` : kind;
    // The end of the session would end the test.
    const lines = id === "closeSession" ? ["enabled = false"] : [];
    if (kind !== undefined)
      lines.push(`parameters = { "path.id" = { dictionary = "${dictionary}", probability = ${deletes ? 1 : 0.9} } }`);
    if (!isCovered(id)) lines.push("phases.coverage.enabled = false");
    // 501 is its documented answer to sections that it does not take.
    if (id === "editSensorAtSingular") lines.push("checks.not_a_server_error.enabled = false");
    if (refusesByDesign({ id, codes })) {
      lines.push(`checks.positive_data_acceptance.expected-statuses = ${JSON.stringify(ACCEPTED_OR_REFUSED)}`);
    }
    return lines.length === 0 ? [] : [`[[operations]]\ninclude-operation-id = "${id}"\n${lines.join("\n")}\n`];
  });
  // The time that it takes to make requests depends on the machine only.
  return ['cache.enabled = false\nsuppress-health-check = ["too_slow"]\n', ...dictionaries, ...sections].join("\n");
}

function kindOf(operation: string): string | undefined {
  // The sensors are those below a device.
  if (operation === "getSensorStatusSummaryOf") return "Device";
  return KINDS.find((name) => operation.toLowerCase().includes(name.toLowerCase()));
}

type Send = (method: string, path: string, body?: object) => Promise<unknown>;

/** What is deleted is spare, so that the rest stays there for the other operations: the last probe, a fifth of all else. */
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
  const last = world.list("probe").at(-1);
  const isBelowLast = (node: SimNode): boolean =>
    node === last || (node.parent !== undefined && isBelowLast(node.parent));
  const nodes = new Map<string, readonly SimNode[]>([
    ["Group", world.list("group")],
    ["Device", world.list("device")],
    ["Sensor", world.list("sensor")],
  ]);
  const nodeIds = [...nodes].flatMap(([name, all]) => {
    const others = all.filter((node) => !isBelowLast(node)).map(({ id }) => id);
    const isSpare = (_: string, index: number): boolean => index % 5 === 4;
    return [
      [name, others.filter((id, index) => !isSpare(id, index))],
      [`Spare${name}`, others.filter(isSpare)],
    ] as const;
  });
  const groups = new Map(world.list("group").map((group) => [probeOf(group), group.id]));
  const jobs = await createJobs(call, contract, [...groups.values()]);
  return {
    ...Object.fromEntries(nodeIds),
    Probe: world
      .list("probe")
      .filter((probe) => probe !== last)
      .map(({ id }) => id),
    SpareProbe: last === undefined ? [] : [last.id],
    Channel: world
      .channels()
      .filter(({ sensor }) => !isBelowLast(sensor))
      .map(({ sensor, number }) => `${sensor.id}.${number}`),
    ApiKey: keys.slice(0, 10),
    SpareApiKey: keys.slice(10),
    User: await listed("/experimental/users"),
    UserGroup: await listed("/experimental/usergroups"),
    AutodiscoveryJob: jobs.slice(0, 3),
    SpareAutodiscoveryJob: jobs.slice(3),
  };
}

function probeOf(node: SimNode): SimNode {
  return node.parent === undefined || node.kind === "probe" ? node : probeOf(node.parent);
}

/** The ids of some new jobs, in turn of the groups, as a probe may be deleted with all below it; none where there are no jobs. */
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
