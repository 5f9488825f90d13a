import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { runProgram } from "../../../src/cli/program.ts";
import { type EndpointReport, type ServerReport, writeReport } from "../../../src/cli/report/format.ts";
import { reportedServer } from "../../../src/cli/simulate/simulate.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

async function stderrOf(...args: string[]): Promise<readonly [code: number, text: string]> {
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    const code = await runProgram(["simulate", ...args]);
    return [code, stderr.mock.calls.map(([text]) => String(text)).join("")];
  } finally {
    stderr.mockRestore();
  }
}

describe("flags", () => {
  test.each([
    [["--speed", "fast"], /Give a number from 0\.01 to 86400/],
    [["--session-lifetime", "soon"], /Give a duration such as 90s or 30m/],
    [["--fault", "hang@/experimental/sensor"], /The nearest paths: \/experimental\/sensors/],
    [["--speed", "0"], /Give a number from 0\.01 to 86400/],
    [["--start-at", "yesterday"], /Give a time such as 2026-03-12T08:00:00Z/],
    [["--start-at", "2026-03-12"], /Give a time such as/],
    [["--start-at", "2026-13-12T08:00:00Z"], /Give a time such as/],
    [["--tls-cert", "cert.pem"], /give --tls-cert and --tls-key together/],
    [["--tls", "--tls-key", "key.pem"], /give --tls-cert and --tls-key together/],
    [["--api-key", "x", "--read-api-key", "x"], /--api-key and --read-api-key are the same key/],
  ])("%j fail", async (args, message) => {
    const [code, text] = await stderrOf(...args);
    expect(code).toBe(2);
    expect(text).toMatch(message);
  });

  test("name an unreadable scenario and the available ones", async () => {
    const [code, text] = await stderrOf("--scenario", "no-such-scenario");
    expect(code).toBe(1);
    expect(text).toMatch(
      /cannot read the scenario no-such-scenario: .*\[SCENARIO_INVALID\].*busy-morning, datacenter-power, /,
    );
  });
});

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

function answer(endpoint: string, status: number | null, more: Partial<EndpointReport> = {}): EndpointReport {
  return { endpoint, query: "", status, ms: 1, ...more };
}

const failed = (status: number | null) => ({ failure: status === 404 ? "API_NOT_FOUND" : "API_TIMEOUT" });
const faultsOf = async (...endpoints: EndpointReport[]) => (await simulated({ endpoints })).faults;

test.each([
  { status: 404, fault: "missing=404@GET:/lookup-definitions" },
  { status: 405, fault: "missing=405@GET:/lookup-definitions" },
  { status: 501, fault: "missing=501@GET:/lookup-definitions" },
  { status: 403, fault: "error=403@GET:/lookup-definitions" },
  { status: 500, fault: "error=500@GET:/lookup-definitions" },
  { status: 200, fault: undefined },
  { status: null, fault: undefined },
])("simulates an endpoint that answered $status: $fault", async ({ status, fault }) => {
  const found = await faultsOf(answer("/lookup-definitions", status, failed(status)));
  expect(found).toEqual(fault === undefined ? [] : [fault]);
});

test("simulates an absence only if no endpoint below it answered", async () => {
  expect(await faultsOf(answer("/sensors", 404), answer("/sensors/{id}", 200))).toEqual([]);
  expect(await faultsOf(answer("/sensors", 200), answer("/sensors/{id}", 404))).toEqual(["missing=404@GET:/sensors/*"]);
});

test("simulates a section that a working list refuses", async () => {
  const LIST = "/experimental/channels";
  const values = { query: "limit=500&include=values" };
  const refusal = `refuses=include:values@${LIST}`;
  expect(await faultsOf(answer(LIST, 200), answer(LIST, 400, values))).toEqual([refusal]);
  expect(await faultsOf(answer(LIST, 200), answer(LIST, 200, values))).toEqual([]);
  expect(await faultsOf(answer(LIST, 200), answer(LIST, 403, values))).toEqual([]);
  expect(await faultsOf(answer(LIST, 400), answer(LIST, 400, values))).not.toContain(refusal);
});

test.each<{ counts: NonNullable<EndpointReport["shape"]>[string]; fault: string | undefined }>([
  { counts: { number: 50, integer: 50, "text of a number with a unit": 100 }, fault: undefined },
  { counts: { number: 50, integer: 50, "text of a number with a unit": 101 }, fault: "text-values=en" },
  {
    counts: { "text of a number with a unit": 95, "text of a number with a decimal comma and a unit": 5 },
    fault: "text-values=en",
  },
  {
    counts: { "text of a number with a unit": 94, "text of a number with a decimal comma and a unit": 6 },
    fault: "text-values=de",
  },
  { counts: {}, fault: undefined },
])("simulates values as $counts: $fault", async ({ counts, fault }) => {
  const shape = { "$[].last_measurement.display_value": counts };
  const found = await faultsOf(answer("/experimental/channels", 200, { shape }));
  expect(found).toEqual(fault === undefined ? [] : [fault]);
});

test("simulates the default limit and the spelling of the server", async () => {
  expect(await simulated({ default_limit: null, spelling: null })).toMatchObject({
    defaultLimit: 3_000,
    spelling: undefined,
  });
  expect(await simulated({ spelling: "specification" })).toMatchObject({
    defaultLimit: 100,
    spelling: "specification",
  });
});
