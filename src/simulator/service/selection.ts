import type { Call, ListReply } from "./endpoint.ts";
import { compileFilter, type Predicate } from "./filter/evaluate.ts";
import { parseFilter } from "./filter/parser.ts";
import { filterProperties } from "./filter/properties.ts";
import { parsePage, slicePage } from "./paging.ts";
import { parseSort } from "./sort.ts";
import type { Subject } from "./subject.ts";

export interface SelectionOptions {
  /** Whether the endpoint takes `sort_by`; where it does not, the parameter is unknown and thus ignored. */
  readonly sortable: boolean;
}

/**
 * The page of a list that a request asks for: filtered, sorted, then cut out. The list is the concatenation of `lists`.
 * Everything about the parameters is checked before anything is rendered.
 * @throws RequestRefused, FilterError
 */
export function selectPage<Item extends Subject>(
  call: Call,
  lists: readonly (readonly Item[])[],
  { sortable }: SelectionOptions,
  render: (item: Item) => string,
): ListReply {
  const page = parsePage(call.query, call.defaultLimit);
  const filter = readFilter(call);
  const sort = sortable ? parseSort(call.query.get("sort_by"), call.rendering) : undefined;
  let selected = filter === undefined ? lists : lists.map((list) => list.filter(filter));
  if (sort !== undefined) selected = [selected.flat().sort(sort)];
  const length = selected.reduce((sum, list) => sum + list.length, 0);
  const { moved } = call;
  const shifted = { offset: Math.max(0, page.offset + moved.shift), limit: page.limit };
  const wrapped = slicePage(selected, { offset: 0, limit: moved.wrapped });
  const items = slicePage([...selected, wrapped], shifted);
  return {
    kind: "list",
    length: items.length,
    render: (index) => {
      const item = items[index];
      return item === undefined ? "null" : render(item);
    },
    page,
    total: length + moved.total,
  };
}

function readFilter({ query, rendering, visible }: Call): Predicate | undefined {
  const filter = query.get("filter") ?? "";
  if (filter.trim() === "") return undefined;
  return compileFilter(parseFilter(filter), {
    world: rendering.world,
    now: rendering.now,
    properties: filterProperties(rendering.spelling.name),
    sees: (subject) => visible.visibility.sees(subject),
    lenientLists: rendering.spelling.name === "live",
  });
}
