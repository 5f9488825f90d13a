import type { Call, ListReply } from "./endpoint.ts";
import { type PageRequest, parsePage, slicePage } from "./paging.ts";

/**
 * The page that a request asks for of the concatenation of `lists`, as faults have moved them.
 * @throws RequestRefused
 */
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
