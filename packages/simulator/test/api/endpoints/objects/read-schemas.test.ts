import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { beforeAll, describe, expect, test } from "vitest";
import type { SpellingName } from "../../../../src/records/spelling.ts";
import { SENSOR_KINDS } from "../../../../src/world/sensors/sensor-kinds.ts";
import { createWorld } from "../../../../src/world/world.ts";
import { openService, type Received, type RunningService } from "../../../support/running-service.ts";
import { NOW } from "../../../support/static-world.ts";

/** Schemas and records of a world must have the same fields. */

type Json = Readonly<Record<string, unknown>>;

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

const ajv = new Ajv2020({ strict: false });
ajvFormats.default(ajv);
const SPELLINGS: readonly SpellingName[] = ["specification", "live"];
const KINDS = ["probe", "group", "device", "sensor", "channel"] as const;

/** With sections (`basic.tags`). For references and lists, only the name. */
function fieldsOf(record: Json, isSection: (value: unknown) => value is Json): string[] {
  return Object.entries(record).flatMap(([name, value]) =>
    isSection(value) ? [name, ...Object.keys(value).map((field) => `${name}.${field}`)] : [name],
  );
}

function isRecordSection(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !("href" in value);
}

function listed(schema: Schema): string[] {
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, { properties: fields }]) => [name, fields ?? null]),
  );
  return fieldsOf(properties, isRecordSection);
}

/** With dependencies, so that all fields appear. */
async function startWorld(spelling: SpellingName): Promise<RunningService> {
  const world = createWorld({ seed: 5, size: { probes: 2, groups: 6, devices: 20, sensors: 80 }, startedAt: NOW });
  const { id } = world.list("probe")[0] ?? { id: "" };
  for (const list of [world.list("group"), world.list("device"), world.list("sensor")]) {
    const last = list.at(-1);
    if (last !== undefined) world.edit(last.id, { dependency: { schedule: "None", dependsOn: id } }, NOW);
  }
  return openService({ spelling, world });
}

const services = new Map<SpellingName, RunningService>();
beforeAll(async () => {
  for (const spelling of SPELLINGS) services.set(spelling, await startWorld(spelling));
  return async () => {
    for (const { simulator } of services.values()) await simulator.close();
  };
});

function send(spelling: SpellingName, path: string): Promise<Received> {
  return services.get(spelling)?.send(path) ?? expect.fail("the service did not start");
}

async function listOf(spelling: SpellingName, path: string): Promise<Json[]> {
  return (await send(spelling, path)).json as Json[];
}

async function schemaOf(spelling: SpellingName, path: string): Promise<Schema> {
  return ((await send(spelling, path)).json as { schema: Schema }).schema;
}

describe.each(SPELLINGS)("%s: all records", (spelling) => {
  test.each(KINDS)("records of kind %s have exactly the fields of their schema", async (kind) => {
    const records = await listOf(spelling, `/experimental/${kind}s?include=*&limit=3000`);
    expect(records.length).toBeGreaterThan(1);
    const id = kind === "group" ? String(records.at(-1)?.id) : String(records[0]?.id);
    const schema = await schemaOf(spelling, `/experimental/schemas/${id}/get?include=*`);
    const validate = ajv.compile(schema);
    expect(
      records.filter((record) => !validate(record)).map(({ id }) => [id, ajv.errorsText(validate.errors)]),
    ).toEqual([]);
    const seen = new Set(records.flatMap((record) => fieldsOf(record, isRecordSection)));
    // Probes of this world have no dependency.
    if (kind === "probe") seen.add("scheduledependency.dependency");
    expect([...seen].sort()).toEqual(listed(schema).sort());
  });

  test.each(["", "?include=path", "?include=all_sections"])("records fit their schema with %j", async (include) => {
    for (const kind of KINDS) {
      const record = (await listOf(spelling, `/experimental/${kind}s${include}`)).at(-1);
      const validate = ajv.compile(await schemaOf(spelling, `/experimental/schemas/${record?.id}/get${include}`));
      expect([kind, validate(record), validate.errors]).toEqual([kind, true, null]);
    }
  });

  test("sensors of each kind have the fields of /schemas/{kind}", async () => {
    const records = await listOf(spelling, "/experimental/sensors?include=all_sections&limit=3000");
    const kinds = new Set(records.map(({ kind }) => String(kind)));
    expect(kinds.size).toBeGreaterThan(10);
    for (const kind of kinds) {
      expect(SENSOR_KINDS.has(kind)).toBe(true);
      const schema = await schemaOf(spelling, `/schemas/${encodeURIComponent(kind)}`);
      const validate = ajv.compile(schema);
      const own = records.filter((record) => record.kind === kind);
      expect(own.filter((record) => !validate(record)).map(() => ajv.errorsText(validate.errors))).toEqual([]);
      const fields = new Set(listed(schema));
      expect(own.flatMap((record) => fieldsOf(record, isRecordSection)).filter((name) => !fields.has(name))).toEqual(
        [],
      );
    }
  });

  test.each([
    ["device", "/experimental/devices"],
    ["group", "/experimental/groups"],
    ["user", "/experimental/users"],
  ])("%ss have exactly the fields of /schemas", async (kind, path) => {
    const records = await listOf(spelling, `${path}?include=all_sections&limit=3000`);
    const schema = await schemaOf(spelling, `/schemas/${kind}`);
    const validate = ajv.compile(schema);
    expect(records.filter((record) => !validate(record)).map(() => ajv.errorsText(validate.errors))).toEqual([]);
    const seen = new Set(records.flatMap((record) => fieldsOf(record, isRecordSection)));
    expect([...seen].sort()).toEqual(listed(schema).sort());
  });
});

test("a schema rejects an invalid section and a missing section", async () => {
  const [device] = await listOf("live", "/experimental/devices?limit=1");
  const schema = await schemaOf("live", `/experimental/schemas/${device?.id}/get`);
  const validate = ajv.compile(schema);
  expect(validate(device)).toBe(true);
  expect(validate({ ...device, basic: 5 })).toBe(false);
  expect(validate({ ...device, basic: undefined })).toBe(false);
});
