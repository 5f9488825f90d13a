import { join } from "node:path";
import { expect, test } from "vitest";
import { writeReport } from "../../../src/cli/report/files.ts";
import type { ServerReport } from "../../../src/cli/report/format.ts";
import { reportedServer } from "../../../src/cli/simulate/from-report.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const SERVER: ServerReport = {
  release: "26.3.122.1665",
  spelling: "live",
  default_limit: 100,
  objects: {},
  complete: true,
  endpoints: [],
};

async function simulated(server: Partial<ServerReport>) {
  const file = join(temporaryFolder({}), "report.json");
  await writeReport(file, "1.2.3", [{ ...SERVER, ...server }]);
  return reportedServer(file);
}

test.each([
  ["26.3.122.1665", "26.3"],
  ["25.1.104.1961", "25.1"],
  ["25.3.116.1313", "25.1"],
  ["25.4.116.1313", "25.4"],
  ["29.1.100.1000", "26.3"],
  ["19.1.100.1000", "24.3"],
  [null, undefined],
])("simulates the newest release up to the version %s: %s", async (version, release) => {
  expect(await simulated({ release: version })).toMatchObject({ release, version: version ?? undefined });
});

test("simulates a possible tree from counts that fit none", async () => {
  const { size } = await simulated({ objects: { probes: 0, groups: 0, devices: 0, sensors: 10, channels: 3 } });
  expect(size).toEqual({ probes: 1, groups: 0, devices: 1, sensors: 10, channels: 20 });
  expect((await simulated({ objects: { sensors: 10, channels: 1_000 } })).size).toMatchObject({ channels: 510 });
  expect((await simulated({ objects: {} })).size).toEqual({});
});
