import { z } from "zod";
import data from "../../data/libraries.json" with { type: "json" };
import type { SimNode } from "../world/model.ts";

const schema = z.strictObject({
  id: z.string(),
  name: z.string(),
  comment: z.string(),
  tags: z.array(z.string()),
  /** 1 to 5. */
  priority: z.number(),
  favorite: z.boolean(),
  active: z.boolean(),
  /** Each shows all objects of a kind that have one of the tags. */
  nodes: z.array(
    z.strictObject({ name: z.string(), kind: z.enum(["group", "device", "sensor"]), tags: z.array(z.string()) }),
  ),
});

/** A view of the tree that shows objects by what they are, not by where they are. */
export type Library = Readonly<z.infer<typeof schema>>;
export type LibraryNode = Readonly<Library["nodes"][number]>;

export const LIBRARIES: readonly Library[] = z.array(schema).parse(data);

/** Whether a node of the library shows the object. */
export function shows({ kind, tags }: LibraryNode, node: SimNode): boolean {
  return node.kind === kind && node.tags.some((tag) => tags.includes(tag));
}
