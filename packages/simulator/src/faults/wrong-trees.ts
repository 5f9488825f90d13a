import type { RenderItem } from "../api/reply.ts";
import type { World } from "../world/model.ts";
import type { ParentShape } from "./actions.ts";

interface TreeRecord {
  readonly id: string;
  readonly name: string;
  readonly parent?: TreeReference;
  readonly path?: readonly TreeReference[];
}

interface TreeReference {
  readonly id: string;
  readonly name?: string;
}

const NOWHERE = { id: "987654321", name: "Nowhere" };

/** Trees as no service should send them: the parents of a page's objects are others. JSON to JSON. */
export function withWrongParents(render: RenderItem, length: number, shape: ParentShape): RenderItem {
  const read = (index: number) => JSON.parse(render(index)) as TreeRecord;
  return (index) => {
    const record = read(index);
    const parent = parentOf(shape, index, length, record, read);
    // What lies above would give the parent away.
    return JSON.stringify({ ...record, path: undefined, parent: { ...record.parent, ...parent, href: "restricted" } });
  };
}

function parentOf(
  shape: ParentShape,
  index: number,
  length: number,
  record: TreeRecord,
  read: (index: number) => TreeRecord,
): TreeReference | undefined {
  switch (shape) {
    case "chain":
      return index === 0 ? record.parent : named(read(index - 1));
    case "cycle":
      return named(read((index + 1) % length));
    case "self":
      return named(record);
    case "lost":
      return NOWHERE;
  }
}

function named({ id, name }: TreeRecord): TreeReference {
  return { id, name };
}

/** Gives objects each other's ids, in references too: what a server does that was set up anew. */
export function withSwappedIds(render: RenderItem, swapped: ReadonlyMap<string, string>): RenderItem {
  const swap = <Named extends TreeReference>(one: Named): Named => ({ ...one, id: swapped.get(one.id) ?? one.id });
  return (index) => {
    const record = swap(JSON.parse(render(index)) as TreeRecord);
    return JSON.stringify({
      ...record,
      ...(record.parent !== undefined && { parent: swap(record.parent) }),
      ...(record.path !== undefined && { path: record.path.map(swap) }),
    });
  };
}

/** The first group and the first device stand for each other, and so on. */
export function groupDeviceSwaps(world: World): ReadonlyMap<string, string> {
  const devices = world.list("device");
  const pairs = world.list("group").flatMap(({ id }, index): [string, string][] => {
    const other = devices[index]?.id;
    return other === undefined
      ? []
      : [
          [id, other],
          [other, id],
        ];
  });
  return new Map(pairs);
}
