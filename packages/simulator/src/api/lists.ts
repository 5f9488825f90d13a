import { compileFilter, type FilterScope, type Predicate } from "../filter/compile.ts";
import { treeScope } from "../filter/objects/scope.ts";
import { parseSort } from "../filter/sort.ts";
import type { PropertyTable } from "../filter/vocabulary.ts";
import type { SimObject } from "../world/objects.ts";
import type { Call } from "./endpoint.ts";
import { type PageRequest, parsePage, slicePage } from "./paging.ts";
import type { ListReply } from "./reply.ts";

export interface SelectionOptions {
  /** Whether the endpoint takes `sort_by`; where it does not, the parameter is unknown and thus ignored. */
  readonly sortable: boolean;
}

export interface RecordOptions<Of, Context> extends SelectionOptions {
  /** What `filter` and `sort_by` are about: `recordScope`, for objects of the tree `treeScope`. */
  readonly scope: FilterScope<Of, Context>;
}

/** The page of a list of tree objects; see `selectRecords`. */
export function selectPage<Item extends SimObject>(
  call: Call,
  lists: readonly (readonly Item[])[],
  { sortable }: SelectionOptions,
  render: (item: Item) => string,
): ListReply {
  return selectRecords(call, lists, { scope: treeScope(call.rendering), sortable }, render);
}

/**
 * The page of a list that a request asks for: filtered, sorted, then cut out. The list is the concatenation of `lists`.
 * Everything about the parameters is checked before anything is rendered.
 * @throws RequestRefused, FilterError
 */
export function selectRecords<Of, Context, Item extends Of>(
  call: Call,
  lists: readonly (readonly Item[])[],
  { scope, sortable }: RecordOptions<Of, Context>,
  render: (item: Item) => string,
): ListReply {
  const filter = readFilter(call.query.get("filter"), scope);
  const sort = sortable ? parseSort(call.query.get("sort_by"), scope.properties, scope.context) : undefined;
  const selected = filter === undefined ? lists : lists.map((list) => list.filter(filter));
  return pageOf(call, sort === undefined ? selected : [selected.flat().sort(sort)], render);
}

/** An empty filter selects everything. */
function readFilter<Item, Context>(
  filter: string | null,
  scope: FilterScope<Item, Context>,
): Predicate<Item> | undefined {
  return filter === null || filter.trim() === "" ? undefined : compileFilter(filter, scope);
}

/** What properties of records outside the tree are read with. */
export interface RecordContext {
  /** Simulated time, milliseconds since the epoch. */
  readonly now: number;
}

/** `filter` and `sort_by` of a list of records that are no tree: users, libraries, jobs. */
export function recordScope<Item>(
  { now, rendering }: Call,
  table: PropertyTable<Item, RecordContext>,
): FilterScope<Item, RecordContext> {
  const { name } = rendering.spelling;
  return { properties: table[name], context: { now }, lenientLists: name === "live", plainTexts: name === "live" };
}

/** The page of all `lists` together, as faults have moved them. @throws RequestRefused */
export function pageOf<Item>(
  call: Call,
  lists: readonly (readonly Item[])[],
  render: (item: Item) => string,
): ListReply {
  const page = parsePage(call.query, call.defaultLimit);
  const { moved } = call;
  const shifted = { offset: Math.max(0, page.offset + moved.shift), limit: page.limit };
  const wrapped = slicePage(lists, { offset: 0, limit: moved.wrapped });
  const items = moved.isEndless ? cycled(lists.flat(), page) : slicePage([...lists, wrapped], shifted);
  return {
    kind: "list",
    length: items.length,
    render: (index) => {
      const item = items[index];
      return item === undefined ? "null" : render(item);
    },
    page,
    total: lists.reduce((sum, list) => sum + list.length, 0) + moved.total,
  };
}

/** A page of a list that begins anew where it ends; empty when the list is. */
function cycled<Item>(items: readonly Item[], { offset, limit }: PageRequest): Item[] {
  if (items.length === 0) return [];
  return Array.from({ length: limit }, (_, index) => items[(offset + index) % items.length] as Item);
}
