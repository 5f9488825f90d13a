import fc from "fast-check";
import { expect, test } from "vitest";
import { type ChangedObject, groupChanges } from "../../../src/app/reports/change-groups.ts";
import type { NodeChange } from "../../../src/model/change-log.ts";
import type { LoggedOutage } from "../../../src/model/outage-log.ts";
import { Premise } from "../../support/premise.ts";
import { runs } from "../../support/runs.ts";

const MINUTE = 60_000;
const OBJECTS: readonly ChangedObject[] = [
  ["p", "probe", "0"],
  ["g", "group", "p"],
  ["h", "group", "p"],
  ["d", "device", "g"],
  ["e", "device", "h"],
  ...Array.from({ length: 12 }, (_, index) => [`s${index}`, "sensor", index < 7 ? "d" : "e"] as const),
].map(([id = "", kind, parentId = ""]) => ({ id, kind: kind as ChangedObject["kind"], parentId, name: id, path: id }));
const TREE = { nodes: new Map(OBJECTS.map((object) => [object.id, object])), sensorsBelow: async () => 12 };

const moment = fc.integer({ min: 1, max: 60 }).map((half) => (half * MINUTE) / 2);
const changes = fc.array(
  fc.record({
    at: moment,
    what: fc.constantFrom<NodeChange["what"]>("down", "unknown", "acknowledged", "recovered", "removed"),
    object: fc.constantFrom(...OBJECTS),
  }),
  { maxLength: 60, size: "max" },
);
const outages = fc.array(
  fc.record({
    problem: fc.constantFrom("down" as const, "unknown" as const),
    object: fc.constantFrom(...OBJECTS.filter(({ kind }) => kind !== "sensor")),
    from: moment,
    found: fc.option(moment),
    lasted: fc.option(moment),
    isNews: fc.boolean(),
  }),
  { maxLength: 6, size: "max" },
);

function logged(plan: typeof outages extends fc.Arbitrary<infer Plans> ? Plans : never): readonly LoggedOutage[] {
  return plan.map(({ problem, object, from, found, lasted, isNews }) => {
    const endedAt = lasted === null ? undefined : from + lasted;
    return {
      ...{ problem, object, from, foundAt: found === null ? undefined : from + found, affected: 5, sensors: 6 },
      ...{ endedAt, lastSeenAt: isNews && endedAt !== undefined ? endedAt - MINUTE / 2 : undefined },
    };
  });
}

test("each change is in one group, with or without outages", async () => {
  const premise = new Premise();
  await fc.assert(
    fc.asyncProperty(changes, outages, async (planned, plannedOutages) => {
      const all = planned.map(({ object, ...change }): NodeChange => ({ ...object, ...change }));
      const groups = await groupChanges(all, TREE, logged(plannedOutages));
      const grouped = groups.flatMap((group) => group.changes);
      expect(grouped).toHaveLength(all.length);
      expect(new Set(grouped)).toEqual(new Set(all));
      premise.holds(groups.some(({ outage, changes: members }) => outage !== undefined && members.length > 0));
    }),
    { numRuns: runs(500) },
  );
  premise.expectOften();
});

test("a group has changes alike, of objects below its own and within its minute or outage", async () => {
  await fc.assert(
    fc.asyncProperty(changes, outages, async (planned, plannedOutages) => {
      const all = planned.map(({ object, ...change }): NodeChange => ({ ...object, ...change }));
      for (const group of await groupChanges(all, TREE, logged(plannedOutages))) {
        const { what, kind, count, object, outage, changes: members } = group;
        for (const member of members) {
          expect([member.what, member.kind]).toEqual([what, kind]);
          expect(idsFrom(member)).toContain(object.id);
        }
        if (outage?.part === "begin") continue;
        expect(new Set(members.map(({ id }) => id)).size).toBe(count);
        const minutes = new Set(members.map(({ at }) => Math.floor(at / MINUTE)));
        if (outage?.part !== "end") expect(minutes.size).toBe(1);
      }
    }),
    { numRuns: runs(500) },
  );
});

/** The object itself and all above it. */
function idsFrom({ id, parentId }: Pick<ChangedObject, "id" | "parentId">): readonly string[] {
  const parent = TREE.nodes.get(parentId);
  return parent === undefined ? [id] : [id, ...idsFrom(parent)];
}
