import { expect } from "vitest";
import { query, type Row, type Step } from "../row.ts";
import type { Received } from "../running.ts";
import type { Example } from "./generic.ts";

const MAX = 3000;

/** Common list query parameters. */
export function listRows({ operation, path: example }: Example): readonly Row[] {
  const [path = ""] = example.split("?");
  const has = (name: string): boolean => operation.query.has(name);
  return [
    ...(has("limit") ? pageRows(operation.id, path) : []),
    ...(has("filter") ? filterRows(operation.id, path) : []),
    ...(has("sort_by") ? sortRows(operation.id, path) : []),
    ...(has("include") ? includeRows(operation.id, example) : []),
  ];
}

function pageRows(operation: Row["operation"], path: string): readonly Row[] {
  return [
    ...["limit=3001", "limit=-1", "limit=x", "limit=1.5", "offset=-1", "offset=x", "offset=2147483648"].map(
      (parameter): Row => ({
        operation,
        rule: `offset and limit are int32, limit at most ${MAX}: ${parameter}`,
        path: `${path}?${parameter}`,
        answers: "400 BAD_REQUEST",
      }),
    ),
    ...["", "?limit=0", `?limit=${MAX}`].map(
      (parameters): Row => ({
        operation,
        rule: `up to ${MAX} objects: ${parameters || "without limit"}`,
        path: `${path}${parameters}`,
        answers: 200,
        headers: { "x-result-count": /^\d+$/, "x-total-count": /^\d+$/, "x-request-id": /\S/, link: null },
        after: [
          ({ received }) => expect(received.headers.get("x-result-count")).toBe(received.headers.get("x-total-count")),
        ],
      }),
    ),
    {
      operation,
      rule: "offset is zero-based; beyond the end there is nothing, and Link has previous",
      path: `${path}?offset=100000&limit=10`,
      answers: 200,
      shows: [],
      headers: { "x-result-count": "0", "x-total-count": /^\d+$/ },
    },
    {
      operation,
      rule: "Link leads through the pages with next, and back with previous",
      path: `${path}?limit=0`,
      answers: 200,
      after: [pagesAddUp(path)],
    },
  ];
}

/** `next` shows everything once. `previous` leads back. */
function pagesAddUp(path: string): Step {
  return async (it) => {
    const all = it.received.json as unknown[];
    const limit = Math.max(1, Math.ceil(all.length / 3));
    let page = await it.send("GET", `${path}?limit=${limit}`);
    const seen = [...(page.json as unknown[])];
    for (let next = linkOf(page, "next"); next !== undefined; next = linkOf(page, "next")) {
      page = await it.send("GET", next);
      seen.push(...(page.json as unknown[]));
      expect(page.headers.get("x-total-count")).toBe(String(all.length));
      expect(page.headers.get("x-result-count")).toBe(String((page.json as unknown[]).length));
    }
    expect(seen).toEqual(all);
    for (let back = linkOf(page, "previous"); back !== undefined; back = linkOf(page, "previous")) {
      page = await it.send("GET", back);
    }
    expect((page.json as unknown[])[0]).toEqual(all[0]);
  };
}

/** Below `/api/v2`. */
function linkOf({ headers }: Received, relation: "next" | "previous"): string | undefined {
  return new RegExp(`</?[^<>]*/api/v2([^<>]*)>; rel="${relation}"`).exec(headers.get("link") ?? "")?.[1];
}

function filterRows(operation: Row["operation"], path: string): readonly Row[] {
  const filtered = (filter: string): string => `${path}${query({ filter })}`;
  return [
    { operation, rule: "an empty result", path: filtered('id = "nothing"'), answers: 200, shows: [] },
    { operation, rule: "an invalid filter", path: filtered("name"), answers: "400 INVALID_FILTER" },
    {
      operation,
      rule: "an invalid duration",
      path: filtered("intervalgroup.interval = 60"),
      answers: "400 INVALID_DURATION",
    },
  ];
}

function sortRows(operation: Row["operation"], path: string): readonly Row[] {
  const sorted = (names: string): string => `${path}${query({ sort_by: names })}`;
  return [
    {
      operation,
      rule: "ascending by default, + ascending, - descending; several properties",
      path: sorted("-id"),
      answers: 200,
      after: [
        async (it) => {
          const descending = it.received.json as unknown[];
          expect(descending.length).toBeGreaterThan(0);
          for (const names of ["id", "+id", "type,id"]) {
            expect((await it.send("GET", sorted(names))).json).toEqual(descending.toReversed());
          }
        },
      ],
    },
    { operation, rule: "a property that there is not", path: sorted("colour"), answers: "400 BAD_REQUEST" },
  ];
}

function includeRows(operation: Row["operation"], example: string): readonly Row[] {
  const including = (include: string): string => `${example}${example.includes("?") ? "&" : "?"}include=${include}`;
  return [
    ...["", "all_sections", "*", "basic,inheritance"].map(
      (include): Row => ({ operation, rule: `include=${include}`, path: including(include), answers: 200 }),
    ),
    { operation, rule: "an unknown section", path: including("colours"), answers: "400 BAD_REQUEST" },
    {
      operation,
      rule: "inheritance only together with another include value",
      path: including("inheritance"),
      answers: "400 BAD_REQUEST",
    },
  ];
}

/** "Omitting it or sending 0 returns up to 3000 objects". */
export const LARGE_LISTS: readonly Row[] = ["", "?limit=0", `?limit=${MAX}`].map((parameters) => ({
  operation: "listChannels",
  large: true,
  rule: `${MAX} of more objects: ${parameters || "without limit"}`,
  path: `/experimental/channels${parameters}`,
  answers: 200,
  headers: { "x-result-count": String(MAX), "x-total-count": /^[3-9]\d{3}$/, link: /offset=3000[^,]*>; rel="next"$/ },
}));
