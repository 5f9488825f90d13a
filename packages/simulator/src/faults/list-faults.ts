import type { ListReply, RenderItem, Reply } from "../api/reply.ts";
import type { World } from "../world/model.ts";
import type { FaultEffects } from "./faults.ts";
import { malformed, valueAsText, withLongName, withNewIds, withTwinIds } from "./malformed-records.ts";
import { groupDeviceSwaps, withSwappedIds, withWrongParents } from "./wrong-trees.ts";

/** A list with the items and totals that the faults give it; other replies stay as they are. */
export function distortReply(reply: Reply, faults: FaultEffects, world: World): Reply {
  if (reply.kind !== "list") return reply;
  const render = distortItems(reply, faults, world);
  const { page, total } = reply;
  if (faults.get("endless-list") !== undefined) {
    return { ...reply, render: withNewIds(render, page.offset, total), total: Number.POSITIVE_INFINITY };
  }
  return { ...reply, render, statedTotal: Math.max(0, total + (faults.get("wrong-total")?.by ?? 0)) };
}

function distortItems({ render: original, length }: ListReply, faults: FaultEffects, world: World): RenderItem {
  let render = original;
  const shape = faults.get("parents")?.shape;
  if (shape !== undefined) render = withWrongParents(render, length, shape);
  if (faults.get("swapped-kinds") !== undefined) render = withSwappedIds(render, groupDeviceSwaps(world));
  if (faults.get("twin-ids") !== undefined) render = withTwinIds(render);
  const characters = faults.get("long-names")?.characters;
  if (characters !== undefined) render = withLongName(render, characters);
  const texts = faults.get("text-values");
  if (texts !== undefined) render = valuesAsTexts(render, texts.language);
  const every = faults.get("odd-records")?.every;
  return every === undefined ? render : malformedEach(render, every);
}

function valuesAsTexts(render: RenderItem, language: Parameters<typeof valueAsText>[1]): RenderItem {
  return (index) => valueAsText(render(index), language);
}

function malformedEach(render: RenderItem, every: number): RenderItem {
  return (index) => ((index + 1) % every === 0 ? malformed(render(index), index / every) : render(index));
}
