import type { Visibility } from "../../auth/visibility.ts";
import type { Rendering } from "../../records/rendering.ts";
import { childrenOf, parentOf, type SimObject } from "../../world/objects.ts";
import type { FilterScope } from "../compile.ts";
import { type Hierarchy, numbering } from "../hierarchy.ts";
import { propertyTable } from "../vocabulary.ts";
import { TreeContext } from "./context.ts";
import { CURRENT_READERS } from "./current.ts";
import { EARLIER_READERS } from "./earlier.ts";

const TREE_PROPERTIES = propertyTable<SimObject, TreeContext>({ ...CURRENT_READERS, ...EARLIER_READERS });

/** Of tree lists and multi-object actions, for `compileFilter`. */
export function treeScope({ world, now, spelling, visibility }: TreeView): FilterScope<SimObject, TreeContext> {
  return {
    properties: TREE_PROPERTIES[spelling.name],
    context: new TreeContext(world, now, visibility),
    hierarchy: hierarchyOf(visibility),
    lenientLists: spelling.name === "live",
    plainTexts: spelling.name === "live",
  };
}

type TreeView = Pick<Rendering, "world" | "now" | "spelling" | "visibility">;

function hierarchyOf(visibility: Visibility): Hierarchy<SimObject> {
  return { parentOf, childrenOf, sees: (object) => visibility.sees(object), numberOf: numbering() };
}
