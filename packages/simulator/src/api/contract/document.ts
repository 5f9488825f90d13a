import { readFile } from "node:fs/promises";
import { load } from "js-yaml";
import type { AccessLevel } from "../../auth/accounts.ts";
import type { Availability, SpellingName } from "../../release/release.ts";
import type { OperationId } from "./types.ts";

/** Below the root of the package, where both `src` and `dist` are. */
const FILE = new URL("../../../api/openapi.yaml", import.meta.url);

/** Everything is relative to it. */
export const ROOT = "/api/v2";

export type Maturity = "stable" | "experimental" | "deprecated";

/** What is read of the contract at run time. Most parts can also be references to where they are. */
export interface ContractDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
}

/** What says of a part of the contract in which releases and spellings it exists. */
export interface Available {
  readonly "x-since"?: string;
  readonly "x-since-live"?: string;
  readonly "x-spelling"?: SpellingName;
}

export interface DocumentOperation extends Available {
  readonly operationId: OperationId;
  readonly summary: string;
  readonly parameters?: readonly (DocumentParameter | Reference)[];
  readonly requestBody?: DocumentBody | Reference;
  readonly "x-maturity": Maturity;
  readonly "x-seen-live"?: string;
  readonly "x-our-reading"?: string;
  readonly "x-successor"?: string;
  readonly "x-deprecated-since"?: string;
  readonly "x-access-level"?: AccessLevel;
}

export interface DocumentParameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required?: boolean;
  readonly schema: { readonly type?: string; readonly default?: unknown };
}

export interface DocumentBody {
  readonly required?: boolean;
  readonly content: { readonly "application/json": { readonly schema: object } };
}

export interface Reference {
  /** `#/components/parameters/limit` */
  readonly $ref: string;
}

let opened: Promise<ContractDocument> | undefined;

/** Reads the contract, once in the life of the process: that takes a tenth of a second. */
export function openDocument(): Promise<ContractDocument> {
  // Of the two YAML readers at hand the quicker one by far.
  opened ??= readFile(FILE, "utf8").then((text) => load(text) as ContractDocument);
  return opened;
}

export function availabilityOf(part: Available): Availability {
  return { since: part["x-since"], sinceLive: part["x-since-live"], spelling: part["x-spelling"] };
}

/** A part of the document and where it is, as a JSON pointer. */
export interface Part<Value> {
  readonly value: Value;
  readonly pointer: string;
}

/** The part itself, or what it refers to. */
export function resolve<Value extends object>(document: ContractDocument, part: Part<Value | Reference>): Part<Value> {
  const { value, pointer } = part;
  if (!("$ref" in value)) return { value, pointer };
  const target = value.$ref.slice(1);
  const found = target
    .split("/")
    .slice(1)
    .reduce<unknown>((node, key) => (node as Readonly<Record<string, unknown>> | undefined)?.[key], document);
  if (found === undefined) throw new Error(`The contract has no ${value.$ref}`);
  return { value: found as Value, pointer: target };
}

/** A name as a step of a JSON pointer within a URI. */
export function pointerStep(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
