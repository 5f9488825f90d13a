import { writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import type { Simulator } from "../../../src/simulator/simulator.ts";
import { runProgram } from "./run-program.ts";

const CONTRACT = "api/openapi.yaml";
const HOOKS = "test/real/support/schemathesis_hooks.py";
export const LIMIT_MS = 1_200_000;

/** Ids for the placeholders of paths: of made-up ones nearly all are unknown, and the service says little else than 404. */
interface Ids {
  readonly [kind: string]: readonly string[];
}

/** Which operations take an id of which kind in their path: a part of the operation's name, longest first. */
const KINDS = ["AutodiscoveryJob", "ApiKey", "UserGroup", "Device", "Group", "Probe", "Sensor", "Channel", "User"];

/**
 * Operations that refuse what fits their schema for a reason that no schema can tell: `WRONG_NODE_STATUS` (a sensor that is
 * not down cannot be acknowledged), the rules of moving and of what can be below what, a token that the server never sent, the
 * names of settings that an object has, an end that comes before the beginning.
 */
export const DEPENDS_ON_MORE =
  /^(pause|resume|scan|acknowledge|move|clone|create|edit|start|delete|get\w*Schema|findApiKey|getTimeSeriesOfRange|listSensorData|resetPassword|openSession)/;

const RECORD = z.object({ id: z.string() });
const ACCEPTED_OR_REFUSED = ["2xx", "400", "401", "403", "404", "409", "5xx"];

export interface Attack {
  readonly simulator: Simulator;
  readonly program: string;
  /** Of a session: an API key would be found in the list of keys, and deleted. */
  readonly token: string;
  readonly operations: readonly { readonly id: string; readonly path: string }[];
  /** Cases per operation and phase. */
  readonly examples: number;
  readonly phases: string;
  /** Which operations, as options of the command line. */
  readonly options: readonly string[];
  readonly folder: string;
}

/**
 * Runs phases with the standard checks against every operation but the one that would end the session; resolves with the exit code and what was
 * printed.
 */
export async function attack(given: Attack): Promise<{ readonly code: number | null; readonly report: string }> {
  const { simulator, program, token, examples, folder, phases, options } = given;
  const config = path.join(folder, "schemathesis.toml");
  writeFileSync(config, await configuration(given));
  const { code, stdout, stderr } = await runProgram(
    program,
    [
      ...["--config-file", config, "run", CONTRACT],
      ...["--url", `${simulator.url}/api/v2`],
      ...["--header", `Authorization: Bearer ${token}`],
      ...options,
      ...["--phases", phases],
      ...["--max-examples", String(examples)],
      ...["--seed", "1", "--generation-database", ":memory:", "--no-color"],
    ],
    "",
    LIMIT_MS,
    { ...process.env, SCHEMATHESIS_HOOKS: path.resolve(HOOKS) },
  );
  return { code, report: stdout + stderr };
}

async function configuration({ simulator, token, operations }: Attack): Promise<string> {
  const ids = await idsOf(simulator, token);
  const dictionaries = Object.entries(ids).map(
    ([kind, values]) => `[dictionaries.${kind}]\nvalues = ${list(values)}\n`,
  );
  const sections = operations.flatMap(({ id, path: template }) => {
    const kind = template.includes("{id}")
      ? KINDS.find((name) => id.toLowerCase().includes(name.toLowerCase()))
      : undefined;
    const lines: string[] = id === "closeSession" ? ["enabled = false"] : [];
    if (kind !== undefined) lines.push(`parameters = { "path.id" = { dictionary = "${kind}", probability = 0.9 } }`);
    // It answers 501 to sections that it does not take, as the servers that have it do.
    if (id === "editSensorAtSingular") lines.push("checks.not_a_server_error.enabled = false");
    if (DEPENDS_ON_MORE.test(id)) {
      lines.push(`checks.positive_data_acceptance.expected-statuses = ${list(ACCEPTED_OR_REFUSED)}`);
    }
    return lines.length === 0 ? [] : `[[operations]]\ninclude-operation-id = "${id}"\n${lines.join("\n")}\n`;
  });
  // How long it takes to make up requests says something of this machine only.
  return ['cache.enabled = false\nsuppress-health-check = ["too_slow"]\n', ...dictionaries, ...sections].join("\n");
}

async function idsOf(simulator: Simulator, token: string): Promise<Ids> {
  const { world } = simulator;
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const call = async (method: string, url: string, body?: object): Promise<unknown> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return (await fetch(`${simulator.url}/api/v2${url}`, { method, headers, ...sent })).json();
  };
  const idsAt = async (url: string) =>
    z
      .array(RECORD)
      .parse(await call("GET", url))
      .map(({ id }) => id);
  const keys: string[] = [];
  for (let number = 0; number < 20; number++) {
    const created = await call("POST", "/users/me/api-keys", { name: `key ${number}`, access_level: "READ" });
    keys.push(RECORD.parse(created).id);
  }
  return {
    Probe: world.list("probe").map(({ id }) => id),
    Group: world.list("group").map(({ id }) => id),
    Device: world.list("device").map(({ id }) => id),
    Sensor: world.list("sensor").map(({ id }) => id),
    Channel: world.channels().map(({ sensor, number }) => `${sensor.id}.${number}`),
    ApiKey: keys,
    User: await idsAt("/experimental/users"),
    UserGroup: await idsAt("/experimental/usergroups"),
    AutodiscoveryJob: await idsAt("/experimental/autodiscoveryjobs"),
  };
}

function list(values: readonly string[]): string {
  return JSON.stringify(values);
}
