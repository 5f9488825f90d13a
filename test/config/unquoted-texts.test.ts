import { describe, expect, test } from "vitest";
import { settingsJsonSchema } from "../../scripts/generate/settings-schema.ts";
import type { ConfigError, ConfigProblem } from "../../src/config/config-error.ts";
import type { JsonSchema } from "../../src/config/schema.ts";
import { failureOf, load, loadWithFiles } from "./support.ts";

type Path = readonly (string | number)[];

/** Keys, list items and map values that accept text and no number. */
function textPaths(schema: unknown, path: Path): Path[] {
  if (!isSchema(schema)) return [];
  const options = (schema.anyOf ?? []).filter(isSchema);
  const takesNumber = options.some(({ type }) => type === "integer" || type === "number");
  const [name = "x-any"] = isSchema(schema.propertyNames) ? (schema.propertyNames.enum ?? []) : [];
  const inside = [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, value]) => textPaths(value, [...path, key])),
    ...textPaths(schema.items, [...path, 0]),
    ...textPaths(schema.additionalProperties, [...path, String(name)]),
    ...(takesNumber ? [] : options.flatMap((option) => textPaths(option, path))),
  ];
  return schema.type === "string" ? [path, ...inside] : inside;
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function documentWith(path: Path, source: string): string {
  return path.reduceRight<string>(
    (inner, key) => (typeof key === "number" ? `[ ${inner} ]` : `{ ${key}: ${inner} }`),
    source,
  );
}

function keyOf(path: Path): string {
  return path
    .reduce<string>((text, key) => (typeof key === "number" ? `${text}[${key}]` : `${text}.${key}`), "")
    .slice(1);
}

async function problemsAt(path: Path, source: string): Promise<readonly ConfigProblem[]> {
  const error: ConfigError = await failureOf(
    load(`${documentWith(path, source)}\nunknown_key: 1\n`.replace(/\}\nunknown_key: 1\n$/, ", unknown_key: 1 }\n")),
  );
  return error.problems.filter(({ key }) => key === keyOf(path));
}

const PATHS = [...new Map(textPaths(settingsJsonSchema(), []).map((path) => [keyOf(path), path])).values()];
const NUMBERS = ["0123", "1e3", "12345678901234567890", "0x1F", "1.50"] as const;
const NULLS = ["null", "~"] as const;
/** A number, a boolean and null. Their spellings change from key to key. */
const CASES = PATHS.map((path, index) => {
  const [number, none] = [NUMBERS[index % NUMBERS.length] ?? "", NULLS[index % NULLS.length] ?? ""];
  const values = [[number, `the number ${number}`] as const, ["true", "true"] as const, [none, none] as const];
  return [keyOf(path), path, values] as const;
});

describe("every key that expects text", () => {
  test("comes from the schema", () => {
    const keys = PATHS.map(keyOf);
    expect(keys.length).toBeGreaterThan(60);
    expect(keys).toContain("servers[0].name");
    expect(keys).toContain("servers[0].select.include[0].tag");
    expect(keys).toContain("mapping.rules[0].labels.x-any");
    expect(keys).toContain("web.users.x-any.servers[0]");
  });

  test.each(CASES)("%s names a number, a boolean and null", async (key, path, values) => {
    for (const [source, shown] of values) {
      const quoted = await problemsAt(path, `"${source}"`);
      const [problem, ...others] = await problemsAt(path, source);
      expect({ source, others }).toEqual({ source, others: [] });
      expect(problem).toMatchObject({ line: 1, column: documentWith(path, source).indexOf(` ${source} `) + 2 });
      const isHidden = /auth|^sync\.servers|^sync\.alertmanager\.(headers|password|bearer)/.test(key);
      if (quoted.length > 0) expect(problem?.text).toMatch(/^expected .*found /);
      else if (isHidden)
        expect(problem?.text).toMatch(/^expected text, found a \w+ \(not shown\)\. Put it in quotes\.$/);
      else expect(problem?.text).toBe(`expected text, found ${shown}. Put it in quotes: "${source}".`);
    }
  });
});

const AUTH = "url: http://a, auth: { api_key_file: /run/secrets/key }";

test("the message has the key, the kind, the written value and the remedy", async () => {
  const error = await failureOf(load(`servers:\n  - { ${AUTH}, name: 0123 }\n`));
  expect(error.message).toBe(
    'prtg.yaml:2:70: servers[0].name: expected text, found the number 0123. Put it in quotes: "0123".',
  );
});

test("a date is text in YAML 1.2", async () => {
  const { config } = await load(`servers:\n  - { ${AUTH}, name: 2026-11-26 }\n`);
  expect(config.servers[0]?.name).toBe("2026-11-26");
});

test.each(["0123", "1e3", "12345678901234567890", "0x1F", "2001"])("the id %s keeps its spelling", async (id) => {
  const { config } = await load(
    `servers:\n  - { ${AUTH}, select: { include: [{ id: ${id} }], exclude: [{ id: ${id} }] } }\n`,
  );
  const rule = { kind: "id", id };
  expect(config.servers[0]?.select).toEqual({ include: [rule], exclude: [rule] });
});

test("keys of maps keep their spelling", async () => {
  const { config } = await load(
    `servers:\n  - { ${AUTH}, name: a }\nweb: { users: { 0123: { servers: [a] }, 1e3: { servers: [a] } } }\n`,
  );
  expect([...config.web.users.keys()]).toEqual(["0123", "1e3"]);
});

test("files of servers have the same messages", async () => {
  const { badServerFiles } = await loadWithFiles('servers_from: { files: "/d/*.yaml" }\n', {
    "/d/a.yaml": `{ ${AUTH}, name: 0123 }\n`,
  });
  expect(badServerFiles[0]?.error.message).toContain(
    '/d/a.yaml:1:66: name: expected text, found the number 0123. Put it in quotes: "0123".',
  );
});
