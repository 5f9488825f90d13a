import type { Release } from "../../release/release.ts";
import type { ContractDocument } from "./document.ts";
import {
  type GeneratorRules,
  generatorSchema,
  isNode,
  mapValues,
  type Node,
  omit,
  referenceWith,
  SCHEMAS,
} from "./generator-schema.ts";
import { publishedContract } from "./published.ts";

/** Records and the bodies that edit them. */
export const EDITED_BY: Readonly<Record<string, string>> = {
  GroupNode: "EditGroupRequest",
  DeviceNode: "EditDeviceRequest",
  SensorNode: "EditSensorRequest",
  ApiKeyInfo: "EditApiKeyRequest",
  AutodiscoveryJob: "AutodiscoveryJobRequest",
};

const NODES = ["ProbeNode", "GroupNode", "DeviceNode"];
const NODE_INFOS = ["ProbeInfo", "GroupInfo", "DeviceInfo"];
const STATUS_PREFIX = "SUMMED_INFO_";

/** Generators cannot follow rows whose first item has a type of its own. */
const TIME_SERIES: Node = {
  TimeSeries: {
    description:
      "Rows. The first one has the literal `time` and the ids of channels; each other one a timestamp and one value per channel, or the timestamp alone where a gap begins or ends.",
    type: "array",
    minItems: 1,
    items: { type: "array", minItems: 1, items: { $ref: `${SCHEMAS}TimeSeriesItem` } },
  },
  TimeSeriesItem: {
    description: "Text: `time`, the id of a channel, or a timestamp. Number: a value.",
    anyOf: [{ type: "string" }, { type: "number" }],
  },
};

/**
 * The contract of one release in one spelling, for generators of clients: OpenAPI 3.0, enums of one type and one spelling,
 * `readOnly` for values that an edit does not take. The simulator itself validates by the whole contract.
 */
export function contractForGenerators(document: ContractDocument, release: Release): Node {
  const published = publishedContract(document, release) as Node;
  const { components, info, openapi: _version, ...rest } = published;
  if (!isNode(components) || !isNode(components.schemas) || !isNode(info))
    throw new Error("The contract is incomplete");
  const { schemas, securitySchemes, ...others } = components;
  const rules: GeneratorRules = {
    spelling: release.spelling,
    requiredCount: (name) => itemsOf(schemas[name], "required").length,
  };
  const converted = {
    ...mapValues(schemas, (schema, name) => recordSchema(generatorSchema(schema as Node, rules), name, release)),
    ...TIME_SERIES,
  };
  const outside = convertOutside({ ...rest, components: others }, rules) as { readonly components: Node };
  const description = `Release ${release.name} in the spelling \`${release.spelling}\`, for generators of clients.`;
  const { components: parts, ...paths } = outside;
  const used = usedComponents({ ...parts, schemas: markReadOnly(converted) }, paths);
  const head = { openapi: "3.0.3", info: { ...omit(info, ["summary"]), description } };
  return { ...head, ...paths, components: { ...used, securitySchemes } };
}

/** Converts schemas of parameters, headers, bodies and responses. */
function convertOutside(value: unknown, rules: GeneratorRules): unknown {
  if (Array.isArray(value)) return value.map((item) => convertOutside(item, rules));
  if (!isNode(value)) return value;
  return mapValues(value, (each, key) => {
    if (key !== "schema" || !isNode(each)) return convertOutside(each, rules);
    const schema = generatorSchema(each, rules);
    // openapi-generator writes times in queries with the offset +0000, which is not RFC 3339.
    return value.in === "query" && schema.format === "date-time" ? omit(schema, ["format"]) : schema;
  });
}

/** Gives the status of a record its exact enum. The contract allows the prefix for all releases and lists. */
function recordSchema(schema: Node, name: string, { spelling, prefixesNodeStatus }: Release): Node {
  if (name === "SummedStatus") {
    const values = itemsOf(schema, "enum").filter((value) => String(value).startsWith(STATUS_PREFIX));
    return { ...schema, description: "A status of a probe, group or device in deprecated lists.", enum: values };
  }
  const { properties } = schema;
  if (!isNode(properties) || !isNode(properties.status) || properties.status.$ref !== `${SCHEMAS}SummedStatus`) {
    return schema;
  }
  const prefixed = spelling === "live" && (NODE_INFOS.includes(name) || (prefixesNodeStatus && NODES.includes(name)));
  return prefixed ? schema : { ...schema, properties: { ...properties, status: { $ref: `${SCHEMAS}Status` } } };
}

/** Marks properties of editable records, and of their sections, that no edit takes. */
function markReadOnly(schemas: Node): Node {
  const requests = Object.values(EDITED_BY).map((name) => propertiesOf(schemas[name]));
  const settings = requests.flatMap((sections) =>
    Object.values(sections).flatMap((section) => Object.keys(propertiesOf(resolve(section, schemas)))),
  );
  return mapValues(schemas, (schema, name) => {
    const editedBy = EDITED_BY[name];
    if (!isNode(schema)) return schema;
    if (name === "Section") return readOnlyExcept(schema, settings);
    return editedBy === undefined ? schema : readOnlyExcept(schema, Object.keys(propertiesOf(schemas[editedBy])));
  });
}

function readOnlyExcept(schema: Node, writable: readonly string[]): Node {
  const properties = mapValues(propertiesOf(schema), (property, name) => {
    if (writable.includes(name) || !isNode(property)) return property;
    return "$ref" in property ? referenceWith(property, { readOnly: true }) : { ...property, readOnly: true };
  });
  return { ...schema, properties };
}

/** Leaves out components of absent operations and of replaced schemas. */
function usedComponents(components: Node, rest: Node): Node {
  const text = JSON.stringify([rest, components]);
  const used = mapValues(components, (parts, kind) => {
    const names = Object.keys(parts as Node);
    return omit(
      parts as Node,
      names.filter((name) => !text.includes(`"#/components/${kind}/${name}"`)),
    );
  });
  return JSON.stringify(used) === JSON.stringify(components) ? components : usedComponents(used, rest);
}

function resolve(schema: unknown, schemas: Node): unknown {
  return isNode(schema) && typeof schema.$ref === "string" ? schemas[schema.$ref.slice(SCHEMAS.length)] : schema;
}

function propertiesOf(schema: unknown): Node {
  return isNode(schema) && isNode(schema.properties) ? schema.properties : {};
}

function itemsOf(schema: unknown, keyword: "required" | "enum"): readonly unknown[] {
  const items = isNode(schema) ? schema[keyword] : undefined;
  return Array.isArray(items) ? items : [];
}
