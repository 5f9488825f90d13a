import { expect, test } from "vitest";
import type { Availability } from "../../src/release/release.ts";
import { RELEASE_NAMES, releaseOf, type SpellingName } from "../../src/release/release.ts";

test.each<[Availability, SpellingName, readonly string[]]>([
  [{}, "live", ["24.3", "25.1", "25.4", "26.3"]],
  [{ since: "24.3.100" }, "specification", ["24.3", "25.1", "25.4", "26.3"]],
  [{ since: "25.x.112" }, "specification", ["25.4", "26.3"]],
  [{ since: "25.x.112" }, "live", ["25.4", "26.3"]],
  [{ since: "25.x.112", sinceLive: "26.3.122" }, "specification", ["25.4", "26.3"]],
  [{ since: "25.x.112", sinceLive: "26.3.122" }, "live", ["26.3"]],
  [{ since: "26.3.122", spelling: "live" }, "live", ["26.3"]],
  [{ since: "26.3.122", spelling: "live" }, "specification", []],
  [{ spelling: "specification" }, "specification", ["24.3", "25.1", "25.4", "26.3"]],
  [{ spelling: "specification" }, "live", []],
])("%o in the spelling %s belongs to the releases %j", (availability, spelling, expected) => {
  expect(RELEASE_NAMES.filter((name) => releaseOf(name, spelling).has(availability))).toEqual(expected);
});
