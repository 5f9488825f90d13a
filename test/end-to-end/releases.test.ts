import { join } from "node:path";
import type { SpellingName } from "prtg-simulator/src/records/spelling.ts";
import { RELEASE_NAMES, type ReleaseName } from "prtg-simulator/src/release/release.ts";
import { createWorld } from "prtg-simulator/src/world/world.ts";
import { expect, test } from "vitest";
import { runCommand } from "../support/command-line.ts";
import { type ParsedSample, parsePage } from "../support/parse-sample.ts";
import { CREDENTIALS, simulateServer } from "../support/simulated-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Newer releases added optional data. */
const DETAILS = "collectors: { details: { enabled: true } }\n";
const SPELLINGS: readonly SpellingName[] = ["live", "specification"];

const LICENSE = ["expiry_timestamp_seconds", "sensors_max", "sensors_used"].map((name) => `prtg_license_${name}`);

interface Expected {
  readonly missing: readonly string[];
  /** Output of `check`. */
  readonly says: RegExp;
}

/** Behaviour per release. `check` never warns. */
const RELEASES: Readonly<Record<ReleaseName, Expected>> = {
  "24.3": { missing: LICENSE, says: /license: not sent/ },
  "25.1": { missing: LICENSE, says: /license: not sent/ },
  "25.4": { missing: [], says: /license: 120 of \d+ sensors/ },
  "26.3": { missing: [], says: /license: 120 of \d+ sensors/ },
};

const CASES = RELEASE_NAMES.flatMap((release) => SPELLINGS.map((spelling) => ({ release, spelling })));

test("each release in both spellings has its series, its gaps and its check result", async () => {
  const startedAt = Date.now();
  const world = createWorld({ seed: 1, size: { probes: 1, devices: 20, sensors: 120, channels: 360 }, startedAt });
  const servers = await Promise.all(
    CASES.map(async ({ release, spelling }) => {
      const { url, freezeAt } = await simulateServer({ world, release, spelling });
      freezeAt(startedAt);
      return `  - { name: "${release} ${spelling}", url: "${url}", auth: { api_key_file: key.txt } }\n`;
    }),
  );
  const folder = temporaryFolder({
    "key.txt": CREDENTIALS.readApiKey,
    "prtg.yaml": `${DETAILS}servers:\n${servers.join("")}`,
  });
  const run = (...args: string[]) => runCommand([...args, "--config.file", join(folder, "prtg.yaml")]);
  const checked = await run("check");
  const served = await run("serve", "--once");
  expect([checked.code, served.code], checked.stdout).toEqual([0, 0]);
  const samples = Map.groupBy(parsePage(served.stdout).values(), ({ labels }) => labels.server);
  const newest = families(samples.get("26.3 live"));
  expect(newest.length).toBeGreaterThan(15);
  expect(shown(samples.get("26.3 live")).length).toBeGreaterThan(400);
  for (const { release, spelling } of CASES) {
    const server = `${release} ${spelling}`;
    const { missing, says } = RELEASES[release];
    expect([server, ...warned(checked.stdout, server)]).toEqual([server]);
    expect(checked.stdout.split("\n").find((line) => line.startsWith(`${server} `) && / details /.test(line))).toMatch(
      says,
    );
    const own = samples.get(server) ?? [];
    expect([server, ...newest.filter((family) => !families(own).includes(family))]).toEqual([server, ...missing]);
    const up = own.find(({ name }) => name === "prtg_up");
    const info = own.find(({ name }) => name === "prtg_server_info");
    expect([server, up?.value, info?.labels.version]).toEqual([server, "1", expect.stringContaining(`${release}.`)]);
    expect([server, ...shown(own)]).toEqual([server, ...shown(samples.get("26.3 live"))]);
  }
}, 300_000);

function families(samples: readonly ParsedSample[] = []): readonly string[] {
  return [...new Set(samples.map(({ name }) => name))].filter((name) => !name.startsWith("prtg_exporter_")).sort();
}

/** Except the clock, which the test stopped. */
function warned(table: string, server: string): readonly string[] {
  return table.split("\n").flatMap((line) => {
    const [name, subject = "", verdict = ""] = line.split(/ {2,}/);
    const isFine = !["warning", "FAILED", "skipped"].includes(verdict) || subject === "clock";
    return name !== server || isFine ? [] : [subject];
  });
}

/** All releases serve the same world. */
function shown(samples: readonly ParsedSample[] = []): readonly string[] {
  return samples
    .filter(({ name }) => /^prtg_(node_status_code|sensor_status|channel_value|sensor_interval_seconds)$/.test(name))
    .map(({ name, labels: { server: _, ...labels }, value }) =>
      JSON.stringify([name, labels, name === "prtg_channel_value" ? "" : value]),
    )
    .sort();
}
