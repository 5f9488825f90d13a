import type { SpellingName } from "../../../src/release/release.ts";
import { ROWS } from "./rows.ts";
import type { Received, Running } from "./running.ts";
import { ID } from "./world.ts";

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

/** All values of an answer, including the root. */
export function* valuesOf({ path, received }: Answer): Generator<Found> {
  yield* within({ where: path, name: "", value: received.json });
}

function* within(found: Found): Generator<Found> {
  yield found;
  const { where, name, value } = found;
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* within({ where: `${where}[${index}]`, name, value: item });
  else if (isObject(value)) {
    for (const [member, item] of Object.entries(value)) {
      // Its members are names, not values.
      if (member === "schema") continue;
      yield* within({ where: `${where} ${member}`, name: member, value: item });
    }
  }
}

/** All successful GET requests, with all includes and gaps. */
export async function answersOf(it: Running, spelling: SpellingName): Promise<Answer[]> {
  const rows = ROWS.filter((row) => spelling === "live" || row.spelling !== "live");
  const paths = rows.flatMap(({ path, answers, before, fault, bearer, large, operation }) => {
    const isRead = it.contract.operations.find(({ id }) => id === operation)?.method === "GET";
    const isPlain = before === undefined && fault === undefined && bearer === undefined && large === undefined;
    return isRead && isPlain && answers === 200 && typeof path === "string" ? [path] : [];
  });
  const lists = ["probes", "groups", "devices", "sensors", "channels", "objects", "users", "usergroups"];
  const series = [ID.down, ID.paused, ID.fresh].flatMap((id) =>
    ["live", "short", "medium", "long"].map((type) => `/experimental/timeseries/${id}/${type}`),
  );
  const answers: Answer[] = [];
  for (const path of new Set([
    ...paths,
    ...series,
    ...lists.map((list) => `/experimental/${list}?include=*&limit=0`),
  ])) {
    answers.push({ path, received: await it.send("GET", path) });
  }
  return answers;
}
