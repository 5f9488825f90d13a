import { protobufToJson } from "./protobuf-to-json.ts";

export type ReceivedValue = string | number | boolean | readonly ReceivedValue[];

export type JsonAttributes = readonly { readonly key: string; readonly value: JsonValue }[];

export interface JsonValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly arrayValue?: { readonly values?: readonly JsonValue[] };
}

export interface JsonResource {
  readonly attributes?: JsonAttributes;
}

export interface JsonScope {
  readonly scope: { readonly name: string; readonly version?: string };
  readonly schemaUrl?: string;
}

/** Parses a request in either encoding. Protobuf gives the same form as JSON. */
export function parseRequest(signal: "metrics" | "logs", contentType: string, body: Uint8Array): unknown {
  if (contentType === "application/x-protobuf") return protobufToJson(signal, body);
  if (contentType !== "application/json") throw new Error(`content type ${contentType}`);
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
}

export function attributesOf(attributes: JsonAttributes = []): Record<string, ReceivedValue> {
  const record = Object.fromEntries(attributes.map(({ key, value }) => [key, attributeValue(value)]));
  if (Object.keys(record).length !== attributes.length) throw new Error("an attribute twice");
  return record;
}

export function attributeValue({
  stringValue,
  boolValue,
  intValue,
  doubleValue,
  arrayValue,
}: JsonValue): ReceivedValue {
  // JSON encodes 64-bit numbers as text.
  const int = intValue === undefined ? undefined : Number(intValue);
  const array = arrayValue && (arrayValue.values ?? []).map(attributeValue);
  const [value, ...more] = [stringValue, boolValue, int, doubleValue, array].filter((each) => each !== undefined);
  if (value === undefined || more.length > 0) throw new Error("expected a value of one kind");
  return value;
}

/** Origin of the records of a request. */
export function originOf({ attributes }: JsonResource, { scope, schemaUrl }: JsonScope) {
  return {
    resource: attributesOf(attributes),
    scope: { name: scope.name, version: scope.version ?? "" },
    ...(schemaUrl !== undefined && { schemaUrl }),
  };
}

export function only<Item>(items: readonly Item[]): Item {
  const [item, ...more] = items;
  if (item === undefined || more.length > 0) throw new Error(`expected one, found ${items.length}`);
  return item;
}
