import { expect, test } from "vitest";
import { LIBRARIES, shows } from "../../src/installation/libraries.ts";
import { createWorld } from "../../src/world/world.ts";
import { STARTED_AT } from "../world/fixtures.ts";

test("every node of every library shows an object of the world", () => {
  const world = createWorld({ seed: 3, startedAt: STARTED_AT });
  for (const { name, nodes } of LIBRARIES) {
    for (const node of nodes) {
      const shown = (node.kind === "device" ? world.list("device") : world.list("sensor")).filter((object) =>
        shows(node, object),
      );
      expect(shown.length, `${name}: ${node.name}`).toBeGreaterThan(0);
    }
  }
});
