import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { loadAll } from "js-yaml";
import { z } from "zod";

const kinds = z.array(z.object({ group: z.string(), version: z.string(), kind: z.string() }));

const openApi = z.object({
  definitions: z.record(z.string(), z.looseObject({ "x-kubernetes-group-version-kind": kinds.optional() })),
});

const customResource = z.object({
  spec: z.object({
    group: z.string(),
    names: z.object({ kind: z.string() }),
    versions: z.array(z.object({ name: z.string(), schema: z.object({ openAPIV3Schema: z.looseObject({}) }) })),
  }),
});

type Schema = Record<string, unknown>;

/** Strict schemas for kubeconform. `source`: Kubernetes' swagger.json and CRDs as YAML. Returns -schema-location. */
export function writeKubernetesSchemas(source: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  const write = (kind: string, group: string, version: string, schema: Schema) => {
    const name = [kind, ...(group === "" ? [] : [group.split(".")[0]]), version].join("-").toLowerCase();
    writeFileSync(path.join(folder, `${name}.json`), JSON.stringify(schema));
  };
  const { definitions } = openApi.parse(JSON.parse(readFileSync(path.join(source, "swagger.json"), "utf8")));
  const strict = Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, strictly(schema)]));
  for (const [name, { "x-kubernetes-group-version-kind": found = [] }] of Object.entries(definitions)) {
    const [own] = found;
    // Request options carry every group's name.
    if (own === undefined || found.length > 1) continue;
    write(own.kind, own.group, own.version, { $ref: `#/definitions/${name}`, definitions: reachable(name, strict) });
  }
  for (const file of readdirSync(source).filter((each) => each.endsWith(".yaml"))) {
    for (const document of loadAll(readFileSync(path.join(source, file), "utf8"))) {
      if (document === null) continue;
      const { spec } = customResource.parse(document);
      for (const { name, schema } of spec.versions) {
        const { properties, ...rest } = schema.openAPIV3Schema;
        const named = { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: { type: "object" } };
        write(spec.names.kind, spec.group, name, strictly({ ...rest, properties: { ...asMap(properties), ...named } }));
      }
    }
  }
  return `${folder}/{{.ResourceKind}}{{.KindSuffix}}.json`;
}

/** Rejects unnamed fields. */
function strictly(schema: unknown): Schema {
  const { properties, additionalProperties, items, ...rest } = asMap(schema);
  const result: Schema = { ...rest };
  if (rest["x-kubernetes-int-or-string"] === true || rest.format === "int-or-string") {
    delete result.format;
    result.type = ["string", "integer"];
  }
  if (items !== undefined) result.items = strictly(items);
  if (typeof additionalProperties === "object") result.additionalProperties = strictly(additionalProperties);
  if (properties !== undefined) {
    const entries = Object.entries(asMap(properties)).map(([name, value]) => [name, strictly(value)]);
    result.properties = Object.fromEntries(entries);
    if (rest["x-kubernetes-preserve-unknown-fields"] !== true) result.additionalProperties ??= false;
    // Embedded API objects, such as a claim's template.
    if (rest.type === undefined && rest.$ref === undefined) result.type = "object";
  }
  return result;
}

/** The definition and its references. */
function reachable(name: string, definitions: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const found = new Map<string, Schema>();
  const follow = (each: string) => {
    const schema = definitions[each];
    if (schema === undefined || found.has(each)) return;
    found.set(each, schema);
    for (const [, next = ""] of JSON.stringify(schema).matchAll(/"#\/definitions\/([^"]+)"/g)) follow(next);
  };
  follow(name);
  return Object.fromEntries(found);
}

function asMap(value: unknown): Schema {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
