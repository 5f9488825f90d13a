import { EVERYTHING, type Visibility } from "../../src/auth/visibility.ts";
import type { FilterScope } from "../../src/filter/compile.ts";
import type { TreeContext } from "../../src/filter/objects/context.ts";
import { treeScope } from "../../src/filter/objects/scope.ts";
import { type SpellingName, spellingOf } from "../../src/records/spelling.ts";
import type { World } from "../../src/world/model.ts";
import type { SimObject } from "../../src/world/objects.ts";
import { NOW } from "./static-world.ts";

/** All list objects, in the order of `/experimental/objects`. */
export function everythingOf(world: World): readonly SimObject[] {
  return [
    ...world.list("probe"),
    ...world.list("group"),
    ...world.list("device"),
    ...world.list("sensor"),
    ...world.channels(),
  ];
}

export function scopeOf(
  world: World,
  spelling: SpellingName,
  visibility: Visibility = EVERYTHING,
): FilterScope<SimObject, TreeContext> {
  return treeScope({ world, now: NOW, spelling: spellingOf(spelling), visibility });
}
