import { METHODS } from "prtg-simulator/src/api/contract/paths.ts";

/** Our interpretation, or seen on live servers. */
export interface Reading {
  /** `POST /session`, `parameter kindid`, `header Wait-For`, `License`, `Reference.type`. */
  readonly what: string;
  readonly why: string;
  /** In the contract's order. */
  readonly operations: readonly string[];
}

type Node = Readonly<Record<string, unknown>>;

/** By JSON pointer. A mark covers everything below it. */
type Marks = ReadonlyMap<string, string>;

const MARKS = ["x-our-reading", "x-seen-live"] as const;

/** In the contract's order. */
export function readingsOf(document: object): Reading[] {
  const root = document as Node;
  const marks = new Map<string, string>();
  collect(root, "#", marks);
  const users = new Map<string, Set<string>>([...marks.keys()].map((pointer) => [pointer, new Set()]));
  for (const [path, methods] of Object.entries(root.paths as Node)) {
    for (const [method, operation] of Object.entries(methods as Node)) {
      const pointer = `#/paths/${escaped(path)}/${method}`;
      const name = operationName(path, method);
      for (const found of reached(root, operation, pointer, marks)) users.get(found)?.add(name);
    }
  }
  return [...marks].map(([pointer, why]) => ({
    what: label(root, pointer),
    why,
    operations: [...(users.get(pointer) ?? [])],
  }));
}

function collect(node: unknown, pointer: string, marks: Map<string, string>): void {
  if (typeof node !== "object" || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if ((MARKS as readonly string[]).includes(key)) marks.set(pointer, String(value));
    else collect(value, `${pointer}/${escaped(key)}`, marks);
  }
}

/** Follows references. */
function reached(root: Node, start: unknown, pointer: string, marks: Marks): ReadonlySet<string> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const visit = (node: unknown, at: string): void => {
    if (typeof node !== "object" || node === null) return;
    if (marks.has(at)) found.add(at);
    for (const [key, value] of Object.entries(node)) {
      if (key === "$ref" && typeof value === "string") {
        if (!seen.has(value)) {
          seen.add(value);
          visit(resolve(root, value), value);
        }
      } else visit(value, `${at}/${escaped(key)}`);
    }
  };
  visit(start, pointer);
  return found;
}

function resolve(root: Node, reference: string): unknown {
  return steps(reference).reduce<unknown>((node, step) => (node as Node | undefined)?.[step], root);
}

/** The path of an operation, or names of a schema and its fields. */
function label(root: Node, pointer: string): string {
  const [part = "", kind = "", name = "", ...rest] = steps(pointer);
  if (part === "paths") return operationName(kind, name);
  if (kind === "parameters")
    return `parameter ${String((resolve(root, `#/components/parameters/${name}`) as Node).name)}`;
  if (kind === "headers") return `header ${WRITTEN_HEADERS[name] ?? name}`;
  const fields = rest.filter((_, index) => rest[index - 1] === "properties" || index === rest.length - 1);
  return [name, ...fields].join(".");
}

/** The contract names headers differently from HTTP. */
const WRITTEN_HEADERS: Readonly<Record<string, string>> = { WaitFor: "Wait-For", Authenticate: "WWW-Authenticate" };

function operationName(path: string, method: string): string {
  const known = METHODS.find((one) => one === method.toUpperCase());
  if (known === undefined) throw new Error(`The method ${method} of ${path} is not known`);
  return `${known} ${path}`;
}

function steps(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
