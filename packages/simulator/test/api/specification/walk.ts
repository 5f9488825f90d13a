import type { SpellingName } from "../../../src/release/release.ts";
import { SPELLINGS } from "./rows/spellings.ts";
import { ROWS } from "./rows.ts";
import type { Received, Running } from "./running.ts";
import { ID } from "./specified-world.ts";

export interface Answer {
  readonly path: string;
  readonly received: Received;
}

export interface Found {
  /** `/devices/2001 basic.tags` */
  readonly where: string;
  /** Name of the member or of its list. */
  readonly name: string;
  readonly value: unknown;
}

type Members = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** "A reference object": exactly these four fields. */
export function isReference(value: unknown): value is Readonly<Record<"id" | "type" | "name" | "href", unknown>> {
  return isObject(value) && Object.keys(value).sort().join() === "href,id,name,type";
}

/** Calls `visit` for all values of an answer, including the root. */
export function visitValues({ path, received }: Answer, visit: (found: Found) => void): void {
  visitWithin({ where: path, name: "", value: received.json }, visit);
}

function visitWithin(found: Found, visit: (found: Found) => void): void {
  visit(found);
  const { where, name, value } = found;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      // Measurements: no rule is about one of them.
      if (typeof item !== "number") visitWithin({ where: `${where}[${index}]`, name, value: item }, visit);
    }
  } else if (isObject(value)) {
    for (const [member, item] of Object.entries(value)) {
      // Its members are names, not values.
      if (member !== "schema") visitWithin({ where: `${where} ${member}`, name: member, value: item }, visit);
    }
  }
}

/** All successful GET requests, with all includes and gaps. */
export async function answersOf(it: Running, spelling: SpellingName): Promise<Answer[]> {
  const rows = ROWS.filter((row) =>
    SPELLINGS.includes(row) ? row.spelling === spelling : spelling === "live" || row.spelling !== "live",
  );
  const paths = rows.flatMap(({ path, answers, before, fault, bearer, large, operation }) => {
    const isRead = it.contract.operations.find(({ id }) => id === operation)?.method === "GET";
    const isPlain = before === undefined && fault === undefined && bearer === undefined && large === undefined;
    return isRead && isPlain && answers === 200 && typeof path === "string" ? [path] : [];
  });
  const lists = ["probes", "groups", "devices", "sensors", "channels", "objects", "users", "usergroups"];
  const series = [ID.down, ID.paused, ID.fresh].flatMap((id) =>
    ["live", "short", "medium", "long"].map((type) => `/experimental/timeseries/${id}/${type}`),
  );
  const everything = lists.map((list) => `/experimental/${list}?include=*&limit=0`);
  const answers = new Map<string, Answer>();
  for (const path of new Set([...paths, ...series, ...everything])) {
    const received = await it.send("GET", path);
    // Other parameters often give the same page.
    const key = `${path.split("?")[0]} ${path.includes("include=")} ${received.text} ${received.headers.get("link")}`;
    if (!answers.has(key)) answers.set(key, { path, received });
  }
  return [...answers.values()];
}
