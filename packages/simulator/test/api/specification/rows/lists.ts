import { expect } from "vitest";
import { query, type Row, row, type Step } from "../row.ts";
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
    ...["limit=3001", "offset=-1"].map((parameter) =>
      row(
        operation,
        `offset and limit are int32, limit at most ${MAX}: ${parameter}`,
        `${path}?${parameter}`,
        "400 BAD_REQUEST",
      ),
    ),
    ...["", "?limit=0", `?limit=${MAX}`].map((parameters) =>
      row(operation, `up to ${MAX} objects: ${parameters || "without limit"}`, `${path}${parameters}`, 200, {
        headers: { "x-result-count": /^\d+$/, "x-total-count": /^\d+$/, "x-request-id": /\S/, link: null },
        after: [
          ({ received }) => expect(received.headers.get("x-result-count")).toBe(received.headers.get("x-total-count")),
        ],
      }),
    ),
    row(
      operation,
      "offset is zero-based; beyond the end there is nothing, and Link has previous",
      `${path}?offset=100000&limit=10`,
      200,
      { shows: [], headers: { "x-result-count": "0", "x-total-count": /^\d+$/ } },
    ),
    row(operation, "Link leads through the pages with next, and back with previous", `${path}?limit=0`, 200, {
      after: [pagesAddUp(path)],
    }),
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

/** With properties of both sets. */
const NOTHING = 'email = "x" and basic.host = "x" and ancestors contains "x" and usertype = readonly';

function filterRows(operation: Row["operation"], path: string): readonly Row[] {
  const filtered = (filter: string): string => `${path}${query({ filter })}`;
  return [
    row(operation, "an empty result", filtered(NOTHING), 200, { shows: [] }),
    row(operation, "an invalid filter", filtered("name"), "400 INVALID_FILTER"),
    row(operation, "an invalid duration", filtered("intervalgroup.interval = 60"), "400 INVALID_DURATION"),
  ];
}

function sortRows(operation: Row["operation"], path: string): readonly Row[] {
  const sorted = (names: string): string => `${path}${query({ sort_by: names })}`;
  return [
    row(operation, "ascending by default, + ascending, - descending; several properties", sorted("-id"), 200, {
      after: [
        async (it) => {
          const descending = it.received.json as unknown[];
          expect(descending.length).toBeGreaterThan(0);
          for (const names of ["id", "+id", "type,id"]) {
            expect((await it.send("GET", sorted(names))).json).toEqual(descending.toReversed());
          }
        },
      ],
    }),
    row(operation, "a property that there is not", sorted("colour"), "400 BAD_REQUEST"),
  ];
}

function includeRows(operation: Row["operation"], example: string): readonly Row[] {
  const including = (include: string): string => `${example}${example.includes("?") ? "&" : "?"}include=${include}`;
  return [
    ...["", "all_sections", "*", "basic,inheritance"].map((include) =>
      row(operation, `include=${include}`, including(include), 200),
    ),
    row(operation, "an unknown section", including("colours"), "400 BAD_REQUEST"),
    row(operation, "inheritance only together with another include value", including("inheritance"), "400 BAD_REQUEST"),
  ];
}

/** "Omitting it or sending 0 returns up to 3000 objects". */
export const LARGE_LISTS: readonly Row[] = ["", "?limit=0", `?limit=${MAX}`].map((parameters) =>
  row(
    "listChannels",
    `${MAX} of more objects: ${parameters || "without limit"}`,
    `/experimental/channels${parameters}`,
    200,
    {
      large: true,
      headers: {
        "x-result-count": String(MAX),
        "x-total-count": /^[3-9]\d{3}$/,
        link: /offset=3000[^,]*>; rel="next"$/,
      },
    },
  ),
);
