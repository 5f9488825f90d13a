import fc from "fast-check";
import type { World } from "prtg-simulator/src/world/model.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { expect, test } from "vitest";
import { CLOCK_START } from "../support/manual-clock.ts";
import { simulateServer } from "../support/simulated-server.ts";
import { nodesOf, poll, type Rule, selectedIn, selecting, seriesOf, shownObjects } from "./selecting-exporter.ts";

const SIZE = { probes: 2, groups: 5, devices: 8, sensors: 20, channels: 50 };
const TAGS = ["red", "green"];
const NAMES = ["Berlin", "core", "a/b"];
const GLOBS = ["Berlin", "*/core", "**/core", "Berlin/**", "*/*/a/b", "**/a/*", "*/Berlin/*"];

const position = fc.nat({ max: 99 });
const kind = fc.constantFrom("probe", "group", "device", "sensor");
const inner = fc.constantFrom("group", "device", "sensor");

type Step =
  | { readonly do: "move"; readonly kind: "group" | "device" | "sensor"; readonly from: number; readonly to: number }
  | { readonly do: "rename"; readonly kind: Kind; readonly at: number; readonly name: string }
  | { readonly do: "tag"; readonly kind: Kind; readonly at: number; readonly tags: readonly string[] }
  | { readonly do: "remove"; readonly kind: "device" | "sensor"; readonly at: number }
  | { readonly do: "add"; readonly at: number };
type Kind = "probe" | "group" | "device" | "sensor";

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("move"), kind: inner, from: position, to: position }),
  fc.record({ do: fc.constant("rename"), kind, at: position, name: fc.constantFrom(...NAMES) }),
  fc.record({ do: fc.constant("tag"), kind, at: position, tags: fc.subarray(TAGS) }),
  fc.record({ do: fc.constant("remove"), kind: fc.constantFrom("device", "sensor"), at: position }),
  fc.record({ do: fc.constant("add"), at: position }),
);

type RuleSketch = { readonly kind: Kind; readonly at: number } | Rule;
const ruleSketch: fc.Arbitrary<RuleSketch> = fc.oneof(
  fc.record({ kind, at: position }),
  fc.record({ tag: fc.constantFrom(...TAGS) }),
  fc.record({ path: fc.constantFrom(...GLOBS) }),
);

function pick(world: World, of: Kind, at: number): string | undefined {
  const nodes = nodesOf(world, of);
  return nodes[at % Math.max(1, nodes.length)]?.id;
}

function apply(world: World, change: Step, at: number): void {
  if (change.do === "add") {
    const device = pick(world, "device", change.at);
    if (device !== undefined) world.addSensor(device, "core", at);
    return;
  }
  if (change.do === "move") {
    const id = pick(world, change.kind, change.from);
    const to = pick(
      world,
      change.kind === "sensor" ? "device" : change.kind === "device" ? "group" : "probe",
      change.to,
    );
    if (id !== undefined && to !== undefined) world.move(id, to);
    return;
  }
  const id = pick(world, change.kind, change.at);
  if (id === undefined) return;
  if (change.do === "rename") world.rename(id, change.name);
  else if (change.do === "tag") world.edit(id, { tags: change.tags }, at);
  else if (nodesOf(world, change.kind).length > 3) world.remove(id);
}

function ruleOf(world: World, sketch: RuleSketch): Rule {
  return "kind" in sketch ? { id: pick(world, sketch.kind, sketch.at) ?? "" } : sketch;
}

test("selection on the server and in the exporter gives the same series", async () => {
  const at = CLOCK_START;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 6 }),
      fc.array(fc.array(step, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      fc.array(ruleSketch, { maxLength: 3 }),
      fc.array(ruleSketch, { maxLength: 2 }),
      async (before, rounds, including, excluding) => {
        const world = createWorld({ seed: 3, size: SIZE, startedAt: at });
        for (const change of before) apply(world, change, at);
        const include = including.map((sketch) => ruleOf(world, sketch));
        const exclude = excluding.map((sketch) => ruleOf(world, sketch));
        const select = include.length === 0 ? { exclude } : { include, exclude };
        const [asking, refusing] = [
          await simulateServer({ world }),
          await simulateServer({ world, faults: ["refuses=filter"] }),
        ];
        for (const simulator of [asking, refusing]) simulator.freezeAt(at);
        const [asks, filters, all] = [
          await selecting(asking, select),
          await selecting(refusing, select),
          await selecting(refusing),
        ];
        for (const changes of rounds) {
          for (const exporter of [asks, filters, all]) await poll(exporter, 2);
          for (const change of changes) apply(world, change, at);
          // An object ends after two lists without it, also when moved out of sight.
          for (const exporter of [asks, filters, all]) await poll(exporter, 2);
          const expected = selectedIn(world, include, exclude);
          expect([...(await shownObjects(asks))].toSorted()).toEqual([...expected].toSorted());
          const series = await seriesOf(all, expected);
          expect(await seriesOf(filters)).toEqual(series);
          expect(await seriesOf(asks)).toEqual(series);
        }
        for (const each of [asks, filters, all]) await each.stop();
        for (const each of [asking, refusing]) await each.close();
      },
    ),
    { numRuns: 12 },
  );
}, 240_000);
