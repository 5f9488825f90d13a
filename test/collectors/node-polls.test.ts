import { describe, expect, test } from "vitest";
import { wantedSections } from "../../src/app/mapping.ts";
import { readersOfNew, sectionsOf } from "../../src/collectors/node-polls.ts";

const NOTHING = wantedSections({ nodeSensors: [], dependencyInfo: false });
const ALL = wantedSections({ nodeSensors: ["probe", "device"], dependencyInfo: true });

describe("sectionsOf", () => {
  test.each([
    { reader: "tree", wanted: NOTHING, kind: "sensor", sections: ["intervalgroup"] },
    { reader: "tree", wanted: ALL, kind: "sensor", sections: ["intervalgroup", "scheduledependency"] },
    { reader: "tree", wanted: ALL, kind: undefined, sections: ["intervalgroup", "scheduledependency"] },
    { reader: "status", wanted: NOTHING, kind: undefined, sections: [] },
    { reader: "status", wanted: ALL, kind: undefined, sections: ["sensor_status_summary"] },
    { reader: "status", wanted: ALL, kind: "device", sections: ["sensor_status_summary"] },
    { reader: "status", wanted: ALL, kind: "group", sections: [] },
  ] as const)("gives the sections $sections of the list $kind to $reader", ({ reader, wanted, kind, sections }) => {
    expect([...sectionsOf(reader, wanted, kind)]).toEqual(sections);
  });
});

describe("readersOfNew", () => {
  test.each([
    { wanted: NOTHING, before: ALL, readers: [] },
    { wanted: ALL, before: ALL, readers: [] },
    { wanted: ALL, before: NOTHING, readers: ["tree", "status"] },
    {
      wanted: ALL,
      before: wantedSections({ nodeSensors: ["probe"], dependencyInfo: true }),
      readers: ["status"],
    },
  ])("names the collectors $readers that read more than before", ({ wanted, before, readers }) => {
    expect(readersOfNew(wanted, before)).toEqual(readers);
  });
});
